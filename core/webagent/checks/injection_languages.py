"""The patterns of orders to the model in languages other than English.

They are made of stems, as endings vary.
"""

from __future__ import annotations

_SENTENCE = r"(?:^|(?<=[.!?:;。！？\n])|(?<=[.!?:;,] ))"
"""Where a sentence begins: behind `if` or `whether` nothing is claimed."""


def _language(
    dismiss: str,
    before: str,
    orders: str,
    secrecy: str,
    give: str,
    secret: str,
    user: str,
    approval: str,
    role: str,
    prompt: str,
) -> str:
    """Return the pattern of a language. A verb comes first or last.

    Args:
        dismiss: To ignore, to forget.
        before: Previous, all.
        orders: Instructions, rules.
        secrecy: Without asking, or not telling, the user.
        give: To send, to fill in.
        secret: A password, the conversation so far.
        user: The user.
        approval: At the beginning of a sentence: the user has agreed already, do not ask.
        role: From now on you are someone else.
        prompt: What the model was told, or what is hidden from the user.
    """
    gap = r"[^.。।\n]{0,30}?"
    orders = rf"(?:(?:{before}){gap}(?:{orders})|(?:{orders}){gap}(?:{before}))"
    to = rf"(?:{user}|https?://|\S@)"
    return (
        rf"(?:{dismiss}){gap}{orders}|{orders}{gap}(?:{dismiss})|{secrecy}|{_SENTENCE}(?:{approval})"
        rf"|{role}|{prompt}"
        rf"|\b(?:{give}){gap}(?:(?:{secret}){gap}{to}|{to}{gap}(?:{secret}))"
        rf"|{to}{gap}(?:{secret}){gap}(?:{give})"
    )


LANGUAGES: tuple[tuple[str, str], ...] = (
    (  # German
        "ignorier vergiss vergess missacht nutzer kunden passw kennw bestätig zustimm zugestimmt _ab_jetzt von_nun systemprompt ki-",
        _language(
            "ignorier|vergiss|vergess|missacht",
            r"vorherig|bisherig|vorig|früher|obig|vorangegangen|alle\b",
            "anweisung|anordnung|befehl|regeln|vorgaben|instruktion|richtlinien",
            r"\bohne (?:den|die|das) (?:be)?(?:nutzer|kunden)\w* zu (?:frag|inform)|\b(?:sag|erwähn|"
            r"verrat|teil)\w*[^.\n]{0,20}(?:nicht|nichts) [^.\n]{0,15}(?:be)?(?:nutzer|kunden)"
            r"|\b(?:be)?(?:nutzer|kunden)\w*[^.\n]{0,10} (?:nicht|nichts) (?:mit|erwähn|verrat|sag|inform)",
            r"(?:sende|schicke?|übermittle|trage|gib|füge)\b",
            "passw[oö]rt|kennw[oö]rt|gesprächsverlauf|zugangsdaten|kreditkart",
            "nutzer|kunden",
            r"(?<!wenn )(?<!ob )(?<!sobald )\bder (?:be)?(?:nutzer|kunde)\w* hat [^.\n]{0,15}(?:bereits|schon)[^.\n]{0,15} (?:zugestimmt|bestätigt|genehmigt|eingewilligt)|\bfrag\w* [^.\n]{0,20}nicht (?:noch einmal |mehr |erneut )?nach\b(?! de[mnr] )",
            r"\b(?:ab jetzt|von nun an|ab sofort) (?:bist|handelst|gehorch|antwort\w*|darfst|musst) ?(?:du|st)?|\bdu bist (?:jetzt|nun|kein\w* |nicht (?:mehr|länger))|\bki-(?:assistent|agent|modell)\w*[ ]?:",
            r"\b(?:dein\w*|den|ihr\w*) (?:system-?prompt|(?:geheim|versteckt|ursprünglich)\w* anweisung)",
        ),
    ),
    (  # French
        "ignor oubli utilisat client visiteur approuv consent confirm désormais dorénavant maintenant prompt",
        _language(
            "ignorez|ignore |oubli",
            "précédent|antérieur|ci-dessus|toutes? |tous ",
            "instruction|consigne|ordres|directive|règles",
            r"\b(?:ne (?:dites|dis|mentionne\w*|révèle\w*|informe\w*)|sans (?:demander|informer|"
            r"prévenir))[^.\n]{0,30}(?:utilisat|client|visiteur)",
            "envoi|envoy|transmet|ajout|inclu|saisi|indiqu",
            "mots? de passe|identifiants|historique de (?:la )?conversation|carte bancaire",
            "utilisat|client|visiteur",
            r"\b(?:l'|le |la )(?:utilisat|client|visiteur)\w* (?:a|vous a) déjà [^.\n]{0,15}(?:approuv|accept|confirm|consent|autoris)|\b(?:inutile|pas besoin) de [^.\n]{0,15}demander [^.\n]{0,20}(?:confirm|accord|autoris)|\bsans (?:l'|son )?(?:accord|consentement)[^.\n]{0,12}(?:utilisat|client|visiteur)",
            r"\b(?:désormais|dorénavant|à partir de maintenant),? (?:tu|vous) (?:es|êtes|agis|obéi|répond)|\b(?:tu n'es|vous n'êtes) plus (?:un|l')",
            r"\b(?:ton|votre|tes|vos) (?:prompt syst|(?:instructions|consignes) (?:cachées|secrètes|initiales|d'origine))",
        ),
    ),
    (  # Spanish
        "ignor olvid omiso usuari client consentimiento confirm aprob autoriz ahora prompt instruccion demás",
        _language(
            r"ignor[ae]|olvid|haz caso omiso",
            "anterior|previ[ao]s|arriba|todas? las|todos los",
            "instruccion|órdenes|ordenes|indicacion|directric|reglas",
            r"\b(?:no (?:le )?(?:digas?|menciones?|reveles?|informes?)|sin (?:preguntar|avisar|"
            r"informar))[^.\n]{0,30}(?:usuari|client)",
            "envía|envíe|enviar|manda|reenví|incluy|añad|escrib",
            "contraseñ|credencial|historial de (?:la )?conversaci|tarjeta de crédito",
            "usuari|client",
            r"\b(?:el|la) (?:usuari|client)\w* (?:ya|te) (?:ha )?[^.\n]{0,12}(?:consentimiento|aprob|acept|confirm|autoriz)|\bno (?:le )?(?:pidas|solicites|hace falta pedir) [^.\n]{0,15}(?:confirm|permiso|consentimiento)|\bsin (?:el )?(?:permiso|consentimiento) del? (?:usuari|client)",
            r"\b(?:a partir de ahora|desde ahora),? (?:eres|actú|responde|obedece)|\bya no eres (?:un|el)\b",
            r"\b(?:tu|su|tus|sus) (?:prompt (?:de|del) sistema|instrucciones (?:ocultas|secretas|iniciales|originales))|\bdeja lo que estás haciendo|\bdi (?:siempre )?que (?:los|las) demás",
        ),
    ),
    (  # Portuguese
        "ignor esque desconsider usuári utilizador client consentimento confirm aprov autoriz partir_de prompt instruç senha",
        _language(
            r"ignor[ae]|esqueç|esquec|desconsider",
            "anterior|prévi[ao]s|acima|todas as|todos os",
            "instruç|ordens|orientaç|diretriz|regras",
            r"\b(?:não (?:diga|conte|mencione|informe|revele)|sem (?:perguntar|avisar|informar))"
            r"[^.\n]{0,30}(?:usuári|utilizador|client)",
            "envie|mande|inclua|coloque|adicione",
            "senha|palavra-passe|credenciai|histórico da conversa|cartão de crédito",
            "usuári|utilizador|client",
            r"\bo (?:usuári|utilizador|client)\w* já [^.\n]{0,15}(?:consentimento|aprov|aceit|confirm|autoriz|concord)|\bnão (?:peça|solicite|precisa pedir) [^.\n]{0,15}(?:confirm|permiss|consentimento)",
            r"\b(?:a partir de agora|de agora em diante),? (?:você é|és|aja|responda|obedeça)|\b(?:você não é|já não és) mais\b",
            r"\b(?:seu|teu|suas|tuas) (?:prompt (?:de|do) sistema|instruções (?:ocultas|secretas|iniciais|originais))|\b(?:senha|cartão)\b[^.\n]{0,40}\bvocê (?:conhece|sabe|viu)\b",
        ),
    ),
    (  # Italian
        "ignor dimentic utent client consens conferm approv autorizz ora_in_poi prompt istruzion",
        _language(
            "ignora|ignorate|dimentic",
            "precedent|anterior|sopra|tutte le|tutti gli",
            "istruzion|ordini|indicazion|direttiv|regole",
            r"\b(?:non (?:dire|dirlo|menzionare|rivelare|informare)|senza (?:chiedere|avvisare|"
            r"informare))[^.\n]{0,30}(?:utent|client)",
            "invia|manda|includi|aggiungi|scrivi",
            "password|credenzial|cronologia della conversazione|carta di credito",
            "utent|client",
            r"\bl'utente ha già [^.\n]{0,15}(?:consens|approv|accett|conferm|autorizz)|\bnon (?:chiedere|serve chiedere) [^.\n]{0,15}(?:conferma|permesso|consenso)",
            r"\bd'ora in poi,? (?:sei|agisci|rispondi|obbedisci|in ogni)|\bnon sei più (?:un|l')",
            r"\b(?:tuo|tue|suo|sue) (?:prompt di sistema|istruzioni (?:nascoste|segrete|iniziali|originali))|\bnon rivelare (?:quest|il tuo|le tue)",
        ),
    ),
    (  # Dutch
        "negeer vergeet gebruiker toestemming bevestig vanaf_nu systeemprompt webmail mailbox inbox",
        _language(
            "negeer|vergeet",
            r"eerder|vorige|voorgaand|bovenstaand|alle\b",
            "instructie|opdracht|aanwijzing|regels|richtlijn",
            r"\b(?:zonder|niet|niets)\b[^.\n]{0,20}gebruiker[^.\n]{0,10}(?:vragen|vertel|zeg|informer)"
            r"|\b(?:vertel|zeg|meld)\w*[^.\n]{0,20}gebruiker[^.\n]{0,10}(?:niet|niets)",
            "stuur|verzend|voeg",
            "wachtwoord|inloggegevens|gespreksgeschiedenis",
            "gebruiker|klant",
            r"\bde (?:gebruiker|klant) (?:heeft|is) al [^.\n]{0,15}(?:toegestemd|akkoord|bevestigd|toestemming|goedgekeurd)|\bvraag (?:dus )?niet (?:om|naar) (?:een )?(?:bevestiging|toestemming)",
            r"\bvanaf nu (?:ben|handel|gehoorzaam|antwoord) (?:je|jij|u)\b|\bje bent (?:nu|niet langer|geen \w+ meer)\b",
            r"\b(?:je|jouw|uw) (?:systeemprompt|(?:verborgen|geheime|oorspronkelijke) (?:instructies|opdracht))|\b(?:webmail|mailbox|inbox) van de gebruiker[^.\n]{0,40}\b(?:stuur|verzend)",
        ),
    ),
    (  # Polish
        "ignoruj zapomnij pomiń użytkowni klient zgod potwierdz _teraz odtąd prompt instrukcj tej_chwili",
        _language(
            "ignoruj|zapomnij|pomiń",
            "poprzedni|wcześniejsz|powyższ|wszystki",
            "polece|instrukcj|rozkaz|wytyczn|zasad",
            r"\b(?:nie (?:mów|informuj|wspominaj)|bez (?:pytania|informowania|wiedzy))[^.\n]{0,30}"
            r"(?:użytkowni|klient)",
            "wyślij|prześlij|podaj|dołącz",
            r"hasł|dane logowania|histori\w+ rozmowy",
            "użytkowni|klient",
            r"\b(?:użytkowni|klient)\w* już [^.\n]{0,15}(?:zgod|zgadza|potwierdzi|zaakceptowa|zatwierdzi)|\bnie (?:pytaj|proś) [^.\n]{0,10}(?:potwierdz|zgod)",
            r"\b(?:od teraz|odtąd|od tej chwili) (?:jesteś|działasz|odpowiada|słucha)|\bnie jesteś już\b",
            r"\b(?:swój|twój|swoje|twoje) (?:prompt systemow|(?:ukryte|tajne|początkowe) instrukcj)",
        ),
    ),
    (  # Russian and Ukrainian
        "игнор ігнор забуд пользовател користувач клиент согласи подтвержд соглас этого_момента теперь_ты отныне відтепер системный промпт",
        _language(
            "игнориру|забуд|не обращай|ігноруй",
            "предыдущ|прежн|вышеуказан|ранее|все |всі |попередн",
            "инструкц|указани|команд|правил|приказ|інструкц|вказівк",
            r"(?:не (?:сообщай|говори|упоминай|рассказывай)|без (?:ведома|согласия))[^.\n]{0,30}"
            r"(?:пользовател|клиент|покупател)",
            "отправь|перешли|пришли|передай|добавь",
            "парол|учётные данные|истори[юи] (?:чата|переписки|разговора)",
            "пользовател|клиент|користувач",
            r"(?:пользовател|клиент|покупател)\w* уже [^.\n]{0,15}(?:согла|подтверди|одобри|разреши)|не (?:спрашивай|проси|запрашивай)[^.\n]{0,10}(?:подтвержд|разреш|согласи)|користувач\w* вже [^.\n]{0,15}(?:погоди|підтверди|дозволи)",
            r"(?:с этого момента|отныне|теперь) ты\b|ты теперь\b|забудь вс[её],? что|ты больше не\b|відтепер ти\b",
            r"(?:свой|твой|свои|твои) (?:системный (?:промпт|запрос)|(?:скрыт|тайн|исходн|начальн)\w* (?:инструкц|указани))",
        ),
    ),
    (  # Turkish
        "yok_say görmezden göz_ardı unut kullanıcı onay bundan_sonra artık sistem_",
        _language(
            "yok say|görmezden gel|göz ardı et|unut",
            "önceki|yukarıdaki|tüm|bütün",
            "talimat|komut|yönerge|kural",
            r"kullanıcı\w*[^.\n]{0,30}(?:söyleme|bildirme|sormadan|haber vermeden)",
            "gönder|ekle|yaz",
            "şifre|parola|sohbet geçmiş|konuşma geçmiş",
            "kullanıcı",
            r"kullanıcı\w* (?:zaten|çoktan)[^.\n]{0,20}(?:onay|kabul|izin)|\bonay (?:isteme|sorma)\b",
            r"\b(?:bundan sonra|artık) (?:sen\b|[^.\n]{0,25}s[ıiuü]n\b|bir [^.\n]{0,20}(?:sın|sin|sun|sün)\b|bize)",
            r"\b(?:sistem (?:istem|komut)\w*|gizli talimat\w*)[^.\n]{0,12}(?:yaz|ekle|açıkla|göster|gönder)",
        ),
    ),
    (  # Chinese
        "忽略 无视 無視 忽視 忘记 忘記 理会 用户 用戶 密码 密碼 同意 确认 確認 批准 从现在 從現在 新的指 系统提示 系統提示",
        _language(
            "忽略|无视|無視|忽視|忘记|忘記|不要理会",
            "之前|以前|以上|先前|前面|上述|此前|所有",
            "指示|指令|说明|說明|规则|規則|命令",
            "(?:不要|别|不必|无需|不得)(?:告诉|告知|通知|提醒|询问)(?:用户|客户|顾客)",
            "发送|发给|发到|提交|传送|附上|填写",
            "密码|密碼|口令|凭据|对话记录|聊天记录|系统提示",
            "用户|用戶|客户",
            r"(?:用户|用戶|客户|顾客)(?:已经|已經|早已|已)(?:同意|批准|确认|確認|授权)(?!的)|(?:无需|無需|不必|不要|不用)(?:再)?(?:向用户|请用户|询问|请求|征求)?(?:确认|確認|同意|批准)",
            r"(?:从现在(?:起|开始)|從現在(?:起|開始))[^。\n]{0,10}(?:你|不要|不再|必须|只)|你(?:现在)?(?:不再|已经不)是|你现在(?:起)?是|新的(?:指令|指示|命令)[:：]",
            r"(?:你的|您的)(?:系统提示|系統提示|隐藏指令|初始指令)",
        ),
    ),
    (  # Japanese
        "無視 忘れ ユーザー 利用者 お客様 承認 同意 確認 これから あなたは システムプロンプト",
        _language(
            "無視|忘れ",
            "これまで|以前|上記|前の|先の|すべて|全て|今まで",
            "指示|命令|ルール|規則|プロンプト",
            "(?:ユーザー|利用者|お客様)[^。\n]{0,10}(?:知らせず|伝えず|確認せず|聞かず|告げず|通知せず)",
            "送信|送って|送る|含めて|転送",
            "パスワード|会話(?:の)?履歴|システムプロンプト|認証情報",
            "ユーザー|利用者|お客様",
            r"(?:ユーザー|利用者|お客様)(?:は|の|から)[^。\n]{0,6}(?:すでに|既に)[^。\n]{0,8}(?:承認|同意|確認|許可)(?!した|された)|(?:確認|許可|承認)(?:を求め(?:ないで|ずに)|なしで(?:実行|送|購入|予約))",
            r"あなたはもう[^。\n]{0,20}(?:ない|ません)|(?:これから|今後|今から)[^。\n]{0,4}あなたは|あなたは(?:これから|今から)",
            r"(?:あなたの|自分の)(?:システムプロンプト|隠された指示|最初の指示)",
        ),
    ),
    (  # Korean
        "무시 잊어 잊고 사용자 동의 승인 확인 이제부터 지금부터 당신은 프롬프트 _이제",
        _language(
            "무시|잊어|잊고",
            "이전|앞의|앞선|위의|모든|지금까지",
            "지시|명령|규칙|지침|프롬프트",
            r"사용자[^.\n]{0,10}(?:알리지|말하지|묻지|몰래)",
            "보내|전송|포함",
            "비밀번호|대화 (?:기록|내용)|시스템 프롬프트",
            "사용자",
            r"(?:사용자|고객)(?:는|가|께서)?[^.\n]{0,4}이미[^.\n]{0,8}(?:동의|승인|확인|허락)(?!한|된|하신)|사용자에게 (?:확인|허락|동의)[^.\n]{0,8}(?:요청하지|구하지|묻지|받지) (?:말|않)",
            r"(?:이제부터|지금부터)[^.\n]{0,4}(?:당신|너)(?:은|는)|(?:당신|너)(?:은|는) (?:더 이상|이제)",
            r"(?:당신의|너의|네) (?:시스템 프롬프트|숨겨진 지시|초기 지시)",
        ),
    ),
    (  # Arabic
        "تجاهل انس المستخدم العميل وافق موافق تأكيد الآن",
        _language(
            r"تجاهل|انس\b",
            r"السابق|أعلاه|جميع|كل\b",
            "تعليمات|أوامر|قواعد|توجيهات",
            r"(?:لا تخبر|دون (?:إخبار|سؤال|علم))[^.\n]{0,20}(?:المستخدم|العميل)",
            "أرسل|ارسل|أضف",
            "كلمة (?:المرور|السر)|سجل المحادثة",
            "المستخدم|العميل",
            r"(?:المستخدم|العميل) (?:قد )?وافق|وافق (?:المستخدم|العميل) (?:مسبق|بالفعل)|لا تطلب (?:ال)?(?:تأكيد|موافقة|إذن)",
            r"(?:من الآن|ابتداء من الآن|منذ الآن)[^.\n]{0,12}(?:أنت|أطع|تصرف)|لم تعد (?:مساعد|ال)|أنت الآن",
            r"(?:تعليماتك|أوامرك) (?:السرية|المخفية|الأصلية|الأولية)",
        ),
    ),
    (  # Hindi
        "अनदेखा नज़रअंदाज़ नजरअंदाज भूल उपयोगकर्ता सहमत मंज़ूर अनुमति पुष्टि अब_से",
        _language(
            "अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल जा",
            "पिछल|पहले के|ऊपर|सभी|सारे",
            "निर्देश|आदेश|नियम",
            r"उपयोगकर्ता[^।.\n]{0,20}(?:न बता|मत बता|बिना पूछे|बताए बिना)",
            "भेज",
            "पासवर्ड|बातचीत",
            "उपयोगकर्ता",
            r"उपयोगकर्ता[^।.\n]{0,8}पहले ही[^।.\n]{0,12}(?:सहमत|मंज़ूर|अनुमति|पुष्टि)|(?:पुष्टि|अनुमति)[^।.\n]{0,6}(?:न माँग|मत माँग|न मांग|मत मांग)",
            r"अब से (?:तुम|आप)",
            r"(?:अपने|आपके|तुम्हारे) (?:छिपे|गुप्त|मूल) निर्देश",
        ),
    ),
    (  # Indonesian
        "abaikan lupakan pengguna setuju izin konfirmasi mulai_sekarang prompt instruksi",
        _language(
            "abaikan|lupakan",
            "sebelumnya|di atas|semua",
            "instruksi|perintah|aturan",
            r"\b(?:jangan (?:beri tahu|katakan)|tanpa (?:bertanya|memberi tahu))[^.\n]{0,30}pengguna",
            "kirim",
            "kata sandi|riwayat percakapan",
            "pengguna",
            r"\bpengguna (?:sudah|telah) [^.\n]{0,10}(?:setuju|menyetujui|mengizinkan|mengonfirmasi)|\bjangan (?:minta|meminta) (?:konfirmasi|izin|persetujuan)",
            r"\bmulai sekarang,? (?:kamu|anda)\b|\b(?:kamu|anda) bukan lagi\b",
            r"\b(?:prompt sistem|instruksi (?:rahasia|tersembunyi|awal))(?:mu| anda| kamu)\b",
        ),
    ),
    (  # Swedish, Danish and Norwegian
        "ignorer glöm glem bortse bruger brukar användar godkän godkend godkjent _nu_ _nå_ prompt",
        _language(
            r"ignorer|glöm\b|glem\b|bortse",
            r"tidligere|tidigare|föregående|foregående|forrige|ovan|alla\b|alle\b",
            "instruktion|instruks|anvisning|order|ordrer|regler|retningslin|riktlinj",
            r"\b(?:berätta|säg|nämn|fortæl|sig|fortell|si|nevn)\b[^.\n]{0,6} (?:inte|ikke|aldrig|aldri)"
            r"\b[^.\n]{0,10}(?:användar|kund|bruger|bruker)|\b(?:utan att|uden at|uten å) (?:fråga|"
            r"spørge|spørre|berätta|fortælle|fortelle)\b[^.\n]{0,10}(?:användar|kund|bruger|bruker)",
            r"skicka|send\b|lägg till|skriv",
            "lösenord|adgangskode|kodeord|passord|inloggning|kortnummer",
            "användar|bruger|bruker|kund",
            r"\b(?:användaren|brugeren|brukeren|kunden) har (?:redan|allerede) [^.\n]{0,10}(?:god|sagt "
            r"ja|accept|bekräft|bekræft|bekreft)|\b(?:fråga|spørg|spør) (?:inte|ikke) (?:om|efter|etter) "
            r"(?:bekräftelse|bekræftelse|bekreftelse|lov|tilladelse)",
            r"\b(?:från och med nu|fra nu af|fra nå av) (?:är|er|lyder|svarer) du\b|\bdu (?:är|er) (?:nu|nå)\b",
            r"\b(?:din|dina|dine) (?:systemprompt|(?:dolda|hemliga|skjulte|hemmelige) instruktion)",
        ),
    ),
    (  # Czech and Slovak
        "ignoruj zapome zapomeň uživatel používateľ souhlas potvrz odteď systémov _teď",
        _language(
            "ignoruj|zapomeň|zabudni",
            "předchoz|předešl|predchádz|výše|všechn|všetk",
            "pokyn|instrukc|inštrukc|příkaz|príkaz|pravidl",
            r"\b(?:neříkej|neříkejte|nezmiňuj|nehovor|neinformuj)\w*[^.\n]{0,20}(?:uživatel|zákazní|"
            r"používateľ)|\bbez vědomí (?:uživatel|zákazní)",
            "pošli|odešli|přidej|vlož",
            "heslo|hesla|přihlašovací údaje|histori\\w+ konverzace",
            "uživatel|zákazní|používateľ",
            r"\b(?:uživatel|zákazník|používateľ) (?:už|již) [^.\n]{0,10}(?:souhlas|potvrdil|schválil)"
            r"|\bneptej se na (?:potvrzení|souhlas)",
            r"\bod(?:teď| teď| nynějška| této chvíle) (?:jsi|budeš|posloucháš)",
            r"\b(?:svůj|tvůj|své|tvé) (?:systémov\w+ prompt|(?:skryt|tajn|původn)\w+ (?:pokyn|instrukc))",
        ),
    ),
    (  # Romanian
        "ignor uit utilizator confirm acum prompt",
        _language(
            r"ignor[ăa]|uit[ăa]",
            "anterioar|precedent|de mai sus|toate",
            "instrucțiun|instructiun|comen|reguli|ordine",
            r"\b(?:nu (?:spune|menționa|dezvălui|informa)|fără (?:a întreba|a informa|știrea))"
            r"[^.\n]{0,20}(?:utilizator|client)",
            "trimite|adaugă|scrie",
            r"parol[ae]|date\w* de autentificare|istoricul conversației",
            "utilizator|client",
            r"\butilizatorul (?:și-a dat deja|a (?:aprobat|confirmat|acceptat) deja|a fost deja)"
            r"|\bnu cere (?:confirmare|permisiune|acord)",
            r"\b(?:de acum (?:înainte|încolo)),? (?:ești|răspunzi|asculți)",
            r"\b(?:promptul tău|instrucțiunile tale (?:ascunse|secrete|inițiale))",
        ),
    ),
    (  # Vietnamese
        "bỏ_qua phớt_lờ quên người_dùng khách từ_giờ lời_nhắc bây_giờ giờ_đây",
        _language(
            r"bỏ qua|phớt lờ|\bquên\b",
            r"trước (?:đó|đây)|ở trên|mọi|tất cả",
            "hướng dẫn|chỉ dẫn|chỉ thị|mệnh lệnh|quy tắc",
            r"\b(?:đừng|không được|chớ) (?:nói|kể|báo|tiết lộ)[^.\n]{0,12}(?:người dùng|khách hàng)"
            r"|\bmà không (?:hỏi|báo)[^.\n]{0,6}(?:người dùng|khách hàng)",
            r"\bgửi\b|\bthêm\b|\bđiền\b",
            "mật khẩu|số thẻ|lịch sử trò chuyện",
            "người dùng|khách hàng",
            r"\bngười dùng đã (?:đồng ý|chấp thuận|xác nhận) (?:rồi|trước)|\bđừng (?:hỏi|yêu cầu) xác nhận",
            r"\btừ (?:giờ|bây giờ)(?: trở đi)?,? bạn\b|\bbạn (?:bây giờ|giờ đây) là\b|\bbạn không còn là\b",
            r"\b(?:lời nhắc hệ thống|hướng dẫn (?:ẩn|bí mật|ban đầu)) của bạn\b",
        ),
    ),
    (  # Greek
        "αγνό ξέχασ χρήστη πελάτη από_τώρα",
        _language(
            "αγνό[ηε]σ|ξέχασ|ξεχάστ",
            "προηγούμεν|παραπάνω|όλες|όλους|όλα",
            "οδηγί|εντολ|κανόν",
            r"(?:μην? (?:πεις|πείτε|αναφέρ|αποκαλύ|ενημερώ)|χωρίς να (?:ρωτήσ|ενημερώσ))\w*"
            r"[^.\n]{0,20}(?:χρήστη|πελάτη)",
            "στείλ|πρόσθεσ|γράψ",
            "κωδικ|συνθηματικ|ιστορικό (?:της )?συνομιλίας",
            "χρήστη|πελάτη",
            r"ο χρήστης έχει ήδη (?:συμφων|εγκρίν|επιβεβαιώ)|μη(?:ν)? ζητ(?:ήσεις|άς) (?:επιβεβαίωση|άδεια)",
            r"από (?:τώρα|εδώ) και (?:στο εξής|πέρα),? (?:είσαι|υπακού)|δεν είσαι πια",
            r"(?:τις )?(?:κρυφές|μυστικές|αρχικές) οδηγίες σου",
        ),
    ),
)
"""Words in lower case of which a text in a language has one, and the pattern of that language."""
