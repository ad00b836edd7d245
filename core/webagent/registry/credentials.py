"""Credentials in a person's words: `log in with password …`, `mein Passwort lautet …`, `PIN 4711`.

A credential has a name (`password`, `PIN`, `verification code`) and a value next to it. The words
are those of some thirty languages. A word that usually follows such a name, as in `password reset`,
is not a value. Every search is bounded, so the time is in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal
from unicodedata import normalize

Kind = Literal["password", "pin", "code", "key", "card", "account"]
"""The kinds of secrets; a secret is filled in only where its kind belongs."""


@dataclass(frozen=True, slots=True)
class Credential:
    """The value of a credential, and its place in a text."""

    start: int
    end: int
    kind: Kind


_NAMES_OF_PASSWORDS = (
    r"pass[ -]?words?|passwd|pswd|pword|pass[ -]?code|pwd?|passwort|passwrt|kennwort|codewort|losungswort"
    r"|geheimwort|zugangscode|(?:secret|pass|code) ?word|mot secret|palabra (?:secreta|clave)|parola segreta"
    r"|(?:mot|mots) de passe|mdp|contrase[ñn]a|clave|senha|palavra[- ]passe|parola d['’]ordine"
    r"|parola|parolă|parolei|parolam|wachtwoord|lösenord(?:et)?|passord(?:et)?|adgangskoden?"
    r"|kodeord(?:et)?|salasanan?i?|hasł[oa]|hasłem|hesl[oa]|heslem|jelsz[óo]|jelszavam|lozinka"
    r"|lozinkom|geslo|geslom|slaptažodis|parool|salasõna|şifrem?|sifrem|парол(?:ь|я|ем|а|ата)"
    r"|κωδικ[όο]ς(?: πρόσβασης)?|סיסמ(?:ה|א|ת)|כלמת|[وبلف]?كلمة (?:ال)?(?:مرور|سر)ي?|पासवर्ड|mật khẩu"
    r"|kata sandi|sandi|p/w|pass"
)
_PHRASE = (
    r"pass[ -]?phrase|(?:recovery|seed|secret|backup) phrase|memorable word|"
    r"(?:security|secret) answer|passphrase"
)
_PIN = (
    r"pin(?:[- ]?(?:code|number|nummer|kod|kode|koodi|cod[eo]))?|(?:code|código|codice|kod) pin"
    r"|puk(?:[- ]?(?:code|nummer))?|geheimzahl|geheimcode|code secret|código secreto|codice segreto|secret (?:number|code)|pincode|nip|пин(?:[- ]?код)?|[وبلف]?(?:الرقم|الرمز|رقمي|رمزي) السري"
)
_QUALIFIED = (
    r"(?:one[- ]time|verification|verify|security|access|auth(?:entication|enticator)?|login"
    r"|log[- ]in|sign[- ]in|2fa|two[- ]factor|mfa|sms|otp|tan|backup|recovery|unlock|card"
    r")[ -](?:code|password|passcode|pin|token)"
    r"|otp|totp|one[- ]time[- ]code|2fa|tan|cvv2?|cvc2?|csc"
    r"|(?:bestätigungs|sicherheits|einmal|verifizierungs|(?:karten)?prüf|anmelde|zugangs|sms-|freischalt)"
    r"(?:code|kennwort|passwort|nummer|ziffer)|kartenprüfzahl|cryptogramme(?: visuel)?"
    r"|code (?:de vérification|de sécurité|de confirmation|d['’]accès|à usage unique|sms|reçu)"
    r"|código de (?:verificación|seguridad|acceso|un solo uso|verificação|segurança|acesso)"
    r"|codice (?:di verifica|di sicurezza|di accesso|monouso|otp|sms)"
    r"|(?:verificatie|beveiligings|toegangs)code|(?:engångs|verifierings|säkerhets)kod"
    r"|(?:engangs|bekræftelses|bekreftelses|sikkerheds|sikkerhets)kode|vahvistuskoodi"
    r"|kod (?:weryfikacyjny|jednorazowy|sms)|ověřovací kód|overovací kód|doğrulama kodu"
    r"|код (?:подтверждения|из смс|доступа)|одноразовый (?:код|пароль)"
    r"|[وبلف]?(?:رمز|كود) (?:التحقق|التأكيد|الأمان|الدخول)"
)
_CODE = r"code|codes|código|codice|kod|kód|kode|koodi|код|kodu|cod"
_KEY = (
    r"(?:api|access|secret|private|license|licence)[- ](?:key|token|schlüssel)|api[- ]?schlüssel"
    r"|clé (?:api|d['’]api)|clave (?:api|de api)|bearer token|access token|token"
)

_DENSE: Final[tuple[tuple[str, Kind], ...]] = (
    (r"パスワード|暗証語|密码|密碼|口令|비밀번호|암호|รหัสผ่าน", "password"),
    (r"暗証番号|ピン|個人識別番号|핀번호", "pin"),
    (r"验证码|驗證碼|認証コード|確認コード|ワンタイムコード|인증번호|인증 ?코드|รหัสยืนยัน", "code"),
)
"""Names in scripts that need no space before a value."""

_NAMES = re.compile(
    rf"(?<!\w)(?:(?P<code>{_QUALIFIED})|(?P<pin>{_PIN})|(?P<key>{_KEY})|(?P<phrase>{_PHRASE})"
    rf"|(?P<password>{_NAMES_OF_PASSWORDS})|(?P<bare>{_CODE}))(?![\w-])",
    re.IGNORECASE,
)

_DENSE_NAMES = re.compile("|".join(f"(?P<{kind}>{words})" for words, kind in _DENSE))

_DENSE_VALUE = re.compile(
    r"[”」\"']?\s{0,3}(?P<sign>是|为|為|は|が|を|に|는|은|이|가|คือ|:|：|=)?\s{0,3}"
    r"(?:[「『“\"'](?P<quoted>[^」』”\"'\n]{1,100})[」』”\"']|(?P<bare>[!-~]{1,100}))"
)

_WEAK: Final = frozenset({"pass", "pw", "parola", "clave", "sandi", "nip", "token", "2fa", "tan"})
"""Names that are also other words: a value needs a sign, or a login around it."""

_FOR = (
    r"(?:\s{1,3}(?:dafür|dazu|davon|hierfür|pour ça|para eso)|\s{1,3}(?:for|of|on|from|at|in|by|(?:that )?(?:i|you|we)|für|von|bei|aus|im|auf|per|der|des|pour|de|du|del|re[çc]u"
    r"|para|par|por|que|recibido|per|di|do|da|voor|van|för|til|dla|для|от)(?:\s{1,3}\S{1,40}){1,4}?"
    r"|\s{1,3}(?:mitt|min|mia|mio|meu|minha|mea|moje|мой|saya|tôi|của tôi)"
    r"|\s{1,3}(?:(?:that|which) follows|below|here))?"
)
_COPULA = (
    r"is|was|are|be|will be|would be|should be|is set to|lautet|ist|heißt|heisst|war|wäre|soll|est|était"
    r"|sera|es|era|será|é|è|sarà|jest|brzmi|to jest|är|er|on|je|luidt|este|este:|είναι|это|este o|là|هي|هو|adalah"
)
_SIGN = re.compile(
    rf"[\"'`”]?(?:\s{{0,3}}(?P<colon>[:：]=?|=>?|->|→|\?(?=\s{{1,3}}\S*\d))"
    rf"|(?:['’]s|,?\s{{1,3}}c['’]est)(?P<short>(?=\s))"
    rf"|{_FOR}\s{{1,3}}(?P<copula>{_COPULA}|[–—-])(?P<more>\s{{0,3}}:)?(?=\s))"
    r"\s{0,3}(?:(?:the|der|die|das|le|la|el|il|o|het)\s{1,3}(?=\d))?",
    re.IGNORECASE,
)
_FOR_SIGN = re.compile(rf"{_FOR}\s{{0,3}}(?P<colon>[:=])\s{{0,3}}", re.IGNORECASE)
_TO = re.compile(r"\s{1,3}(?:to|into|auf|zu|in|à|en|a|para|por|su|op|naar|till|til|na|на)\s{1,3}", re.IGNORECASE)  # fmt: skip
_GAP = re.compile(r"(?:\s{1,3}|\s{0,3},\s{0,3}|/)")

_FROM = re.compile(
    r"\s{1,3}(?:from|von|de|da|desde|van|från|fra)\s{1,3}(?P<old>\S{1,100})"
    r"\s{1,3}(?:to|auf|zu|in|à|en|a|para|naar|till|til)\s{1,3}",
    re.IGNORECASE,
)
"""An old value and a new one: `change my PIN from 1234 to 5678`."""

_CHANGE = re.compile(
    r"(?:set|change|reset|update|make|switch|put|new|neue[sn]?|änder\w*|setze?|chang\w+|modifi\w+|mets"
    r"|cambia\w*|pon|establece|imposta|alter\w+|muda\w*|verander|wijzig|ändra|zmie\w+|nastav"
    r"|измен\w+|смен\w+|поменя\w*)(?!\w)",
    re.IGNORECASE,
)
"""Words before a name that is then followed by `to` and a value."""

_LOGIN = re.compile(
    r"(?<!\w)(?:log(?:ging)?[- ]?(?:me )?(?:in|on)|logge?|login|sign(?:ing)?[- ]?(?:me )?(?:in|up|on)|user"
    r"(?:name)?|account|e-?mail|credentials|authenticate|regist\w+|unlock|nutzer(?:name)?|benutzer(?:name)?"
    r"|an?meld\w*|ein(?:zu)?logg\w*|melde|einloggen|zugangsdaten|konto|connect\w*|connexion"
    r"|identifi\w+|utilisateur|compte|inici\w+ sesión|sesión|usuario|cuenta|acced\w+|accesso|utente"
    r"|entr[ae]\w*|conta|usuário|utilizador|inlog\w*|aanmeld\w*|gebruiker\w*|logga|användar\w*|logg"
    r"|bruger\w*|kirjaudu|käyttäj\w*|zaloguj|użytkownik\w*|przihl\w*|přihl\w*|uživatel\w*|войти|войди"
    r"|логин\w*|giriş|kullanıcı|bejelentkez\w*)(?!\w)",
    re.IGNORECASE,
)
"""Words of a login, before a name with a plain word as its value."""

_WITH = re.compile(
    r"(?:(?<!\w)(?:with|using|use|and|plus|by|enter|type|via|mit|und|per|nutze|avec|et|con|y|e|usando"
    r"|com|met|en|med|och|og|ja|z|ze|i|s|se|a|és|ile|ve|с|и|με|και|dan|dengan|và|với|my|mein(?:e[mn]?)?"
    r"|mon|ma|mi|mia|il mio|la mia|minha|mijn|mitt|min|mit|moje|moim|meu|мой|моим)"
    r"(?:\s{1,3}(?:the|a|this|dem|das|le|la|el|il|o|het|my|mein(?:em)?|mon|mi|mio|minha|mijn|mitt))?"
    r"|[,;/&+:(])\s{0,3}(?:new\s{1,3}|neue[mn]\s{1,3}|current\s{1,3})?$",
    re.IGNORECASE,
)
"""The end of the text before a name to which a value belongs: `… with`, `… and my`, `…,`."""

_ENTERED = re.compile(
    r"(?:^|[,;:/(]|(?<!\w)(?:with|using|use|and|enter|type|input|put|submit|the|this|my|is|it|here|confirmation|mit"
    r"|und|der|den|dem|mein(?:en|em)?|dieser|gib|nimm|avec|et|le|ce|mon|saisis|entre|con|y|el|este|mi"
    r"|introduce|usa|e|il|lo|questo|mio|inserisci|com|o|meu|use|met|en|de|mijn|med|och|min|mitt|z|i"
    r"|ten|mój|wpisz|ve|и|мой|этот|введи))\s{0,3}$",
    re.IGNORECASE,
)
"""The end of the text before a bare `code`: other words there make it another code (`zip code`)."""

_AFTERWARDS = re.compile(
    r"(?<!\S)(?P<value>\S{1,100})\s{1,3}(?:(?P<copula>is|was|ist|war|est|es|è|é|jest|är|er|on|je|это|είναι)"
    r"|(?P<role>as|for|als|comme|como|come|som|jako|olarak|как|ως))\s{1,3}"
    r"(?:(?:my|the|a|your|our|mein|das|dein|mon|le|mi|la|mia|il|o|minha|moje|mijn|het|mitt|min|мой)"
    r"\s{1,3}){0,2}(?:(?:new|temporary|current|login|neues|nouveau|nueva|nuova)\s{1,3})?$",
    re.IGNORECASE,
)
"""The end of the text before a name that follows its value: `ropewalk14 is my`, `ropewalk14 as`."""

_ENTERING = re.compile(
    r"\s{1,3}(?:ein(?:geben|tippen|tragen)|verwenden|benutzen|nutzen|nehmen)(?!\w)", re.IGNORECASE
)
"""Verbs after a value, in languages that end with them: `Passwort Sommerregen eingeben`."""

_USED = re.compile(r"(?<!\w)(?:use|enter|type|set|choose|take|put|nimm|nutze|verwende|utilise|usa|gebruik|använd|użyj)\s{1,3}$", re.IGNORECASE)  # fmt: skip

_PAIR = re.compile(
    r"(?:(?<!\w)(?:as|with|using|als|mit|avec|con|com|met|med|z|с|credentials|login|user|account|zugangsdaten"
    r"|identifiants|credenciales|credenziali)(?:\s{0,3}:)?\s{1,3}|\(\s{0,3})"
    r"(?P<user>[\w.+-]{1,60}(?:@[\w.-]{1,80})?)(?P<sign>\s{0,2}/\s{0,2}|:)(?P<value>[^\s/]{1,100})",
    re.IGNORECASE,
)
"""A user and a password: `log in as ada / ropewalk14`."""

_AFTER_EMAIL = re.compile(
    r"[\w.+-]{1,60}@[\w.-]{1,80}(?:\s{0,2},)?\s{1,3}"
    r"(?:(?:and|with|und|mit|et|avec|y|con|e|com|en|met|och|og|med)\s{1,3})?"
    r"(?P<value>(?=\S{0,100}[^\W\d])(?=\S{0,100}\d)[^\s@/]{6,100})",
    re.IGNORECASE,
)
"""An address and a password in a login: `sign in with ada@shop.example and ropewalk14`."""

_AFTER_CREDENTIALS = re.compile(
    r"(?<!\w)(?:credentials|zugangsdaten|identifiants|credenciales|credenziali|credenciais|inloggegevens)"
    r"(?:\s{0,3}:)?\s{1,3}(?P<user>[\w.+@-]{1,80})\s{1,3}"
    r"(?P<value>(?=\S{0,100}[^\W\d])(?=\S{0,100}\d)[^\s@/]{6,100})",
    re.IGNORECASE,
)
"""A user and a password after a word for both: `credentials: ada ropewalk14`."""

_QUOTED = re.compile(r"(?P<mark>[\"'`“”„«»‚‘’])(?P<value>[^\"'`“”„«»‚‘’\n]{1,200})[\"'`“”„«»‚‘’]")
_PHRASE_VALUE = re.compile(r"[^\W\d_]+(?: [^\W\d_]+){2,30}(?=\s*(?:$|[.,;\n]))")
_BARE = re.compile(r"\S{1,200}")
_DIGITS = re.compile(r"\d(?:[ -]?\d){2,11}(?!\w)")
_SIX = re.compile(r"(?:G-)?\d(?:[ -]?\d){3,7}(?![\w.,]?\d|\w)")
_MIXED = re.compile(r"(?=[A-Za-z-]{0,20}\d)[A-Za-z0-9-]{3,20}(?!\w)")
_END = re.compile(r"\s*(?:$|[.,;:!?)\n]|(?:and|then|to|und|dann|et|puis|y|luego|e|poi|i|och|og|en|и)(?!\w))", re.IGNORECASE)  # fmt: skip
_UNIT = re.compile(
    r"\s{0,3}-?(?:char|digit|letter|symbol|time|word|day|minute|hour|week|month|year|zeichen|stellen|tage"
    r"|caract|chiffre|fois|jours|dígito|cifre|giorni|tekens|tecken|znak|символ)",
    re.IGNORECASE,
)
_ODD = re.compile(r"[^\W\d_]*(?:\d|[^\w.:;,!?'’/-]|[a-z][A-Z])")
"""Matches the beginning of what is not a word."""

_STRIPPED = ".,;:?。，、；…"
_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<", '"': '"', "'": "'", "”": "“", "»": "«"}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FUNCTION = _words(
    """
    a an the my your our their his her its this that these those it he she they we you i
    what which who how when where why if of for from in on at to by via with without and or
    but not no so as be being been is are was were do does did don't doesn't can can't could
    should shall will won't would must may might has have had please then than too also
    again still now here there only just very more most least less same another other one
    any some all none both each every something anything nothing der die das den dem des ein
    eine einen einem einer mein meine dein deine ihr sein nicht kein keine und oder aber für
    von zu zum zur mit ohne auf im am bei aus wie wer wo warum wenn ob ist sind war hat habe
    kann soll muss wird bitte noch schon nur auch wieder zurück le la les l' un une du de d'
    mon ma mes ton votre et ou mais pour par sur dans en avec sans à au aux ce cette qui que
    quoi quel quelle comment est sont n'est ne pas plus trop el los las lo una unos mi su tu
    y o pero por para con sin del al este esta qué como cómo es son más muy se il gli uno di
    da per tra fra e ed che chi come non è sono dos na nos nas um uma meu minha seu sua mas
    com sem é são não het een mijn je van voor op met zonder maar niet zijn ett min mitt och
    eller men inte är på för till av med og ikke til af w z lub nie jest się co jak в на с и
    или не что как это для от по мой ve veya için gì nào apa ما ماذا
    """
)
"""Words that begin a phrase and are not a value when more follows."""

_STATES = _words(
    """
    wrong incorrect correct right invalid valid expired required missing empty blank strong
    weak secure insecure safe unsafe unique different same reset changed updated set saved
    stored forgotten lost stolen leaked compromised known unknown needed necessary optional
    mandatory hidden visible shown masked encrypted hashed protected accepted rejected
    refused denied working broken short long longer shorter too case-sensitive sensitive
    good bad fine ok okay old new outdated temporary default secret private public case
    asked requested sent generated created stale okay. not never always used reused password
    token string number boolean object array any null undefined true false none void about
    under behind displayed falsch richtig ungültig gültig abgelaufen erforderlich leer
    sicher unsicher stark schwach vergessen verloren geändert gespeichert nötig notwendig zu
    kurz lang alt neu weg gesperrt bekannt unbekannt incorrecta incorrecto correcta correcto
    inválida válida caducada obligatoria vacía segura débil olvidada perdida cambiada
    demasiado requerida incorrecte invalide valide expiré requis obligatoire vide oublié
    perdu changé faible fort sûr trop bon mauvais sbagliata errata corretta scaduta
    obbligatoria vuota sicura debole dimenticata persa troppo incorreta correta expirada
    obrigatória vazia esquecida fraca forte muito verkeerd fout juist verlopen verplicht
    leeg vergeten zwak sterk fel rätt ogiltigt glömt forkert feil błędne nieprawidłowe
    zapomniane wymagane неверный неправильный забыт
    """
)
"""Words that say how a credential is."""

_FOLLOWING = _words(
    """
    reset resets policy policies manager managers link links field fields page pages setting
    settings requirement requirements change changes changed strength protected protection
    recovery recover hint hints help form forms box boxes rule rules generator length expiry
    expiration history option options screen screens dialog tip tips security safety input
    inputs prompt prompts label labels section confirmation authentication authentification
    login logon signin update updates email e-mail mail mails message messages tab button
    column table icon checkbox checker check meter vault storage hash hashes database list
    lists file files breach leak sharing rotation expired forgotten forgot lost wizard tool
    tools app apps service services guide guidelines guidance instructions question
    questions faq support reminder reminders error errors problem problems issue issues
    attempt attempts format formats autofill auto-fill request requests review reviews book
    books article articles less free field: number numbers reader readers scanner scanners
    editor block blocks example examples snippet snippets base quality style coverage search
    machine pad pads names name entry entries game games zurücksetzen vergessen ändern aendern anzeigen
    wiederherstellen speichern eingeben feld felder richtlinie richtlinien regeln stärke
    hilfe schutz geändert wechseln verwalten oublié oubliée perdu réinitialiser changer
    modifier oublie olvidada olvidé restablecer cambiar recuperar perdida dimenticata
    dimenticato reimpostare cambiare recuperare smarrita esqueci esquecida redefinir alterar
    mudar trocar vergeten wijzigen herstellen resetten glömt återställ ändra byt glemt
    nulstil skift unohtunut vaihda zapomniane zresetuj zmień przypomnij zapomenuté obnovit
    změnit elfelejtett sıfırla unuttum değiştir забыл забыли сбросить восстановить изменить
    google facebook apple github microsoft sso phone sms username user password passwort
    access enter log sign get use see open view unlock continue make keep avoid prevent
    secure
    """
)
"""Words that follow such a name and belong to it: `password reset`, `Passwort vergessen`."""

_UNASSIGNED = _words(
    """
    something anything stronger new better longer another different random strong secure
    login access log sign get use see open view unlock continue protect enter make have keep
    avoid prevent password email username name well such known same it this that what which
    was ist wie reset e-mail user one both them these those était qué qual quale
    """
)
"""Words that are not a value after `to` and before `as`."""

_ADVERBS = _words(
    "erneut nochmal nochmals wiederholt hier jetzt oben unten manuell selbst immer zuerst danach korrekt"
)
"""Words before such a verb that are not a value."""

_WINDOW = 80
"""Characters before a name that are read."""


def credentials_in(text: str) -> list[Credential]:
    """Return the credentials in a text, in order; they do not overlap."""
    found: list[Credential] = []
    for credential in sorted(_all(_plain(text)), key=lambda one: (one.start, -one.end)):
        if not found or credential.start >= found[-1].end:
            found.append(credential)
    return found


def _plain(text: str) -> str:
    """Return a text of the same length with plain letters for full-width ones: `ＰＩＮ`."""
    forms = (c if c.isascii() else normalize("NFKC", c) for c in text)
    return "".join(form if len(form) == 1 else c for form, c in zip(forms, text, strict=True))


def names_credential(text: str) -> bool:
    """Whether a text, such as a question, names a credential."""
    text = _plain(text)
    for match in _NAMES.finditer(text):
        if match["bare"] and not _ENTERED.search(
            text[max(0, match.start() - _WINDOW) : match.start()]
        ):
            continue
        if not match["key"] and match[0].lower() not in _WEAK - {"tan", "2fa"}:
            return True
    return bool(_DENSE_NAMES.search(text))


def _all(text: str) -> Iterator[Credential]:
    for match in _NAMES.finditer(text):
        before = text[max(0, match.start() - _WINDOW) : match.start()]
        kind: Kind = "password"
        if match["pin"]:
            kind, found = "pin", _pin(text, match, before)
        elif match["code"]:
            kind, found = "code", _code(text, match.end(), qualified=True)
        elif match["bare"]:
            bare = _ENTERED.search(before) is not None
            kind, found = "code", _code(text, match.end(), qualified=False) if bare else None
        elif match["key"]:
            kind, found = "key", _key(text, match, before)
        else:
            found = _password(text, match, before)
        if found is None and not match["key"]:
            found = _before(text, match, before, kind)
        both = _changed(text, match, before) or _listed(text, match) if kind != "key" else None
        for span in both or ([found] if found is not None else []):
            yield Credential(*span, kind)
    for match in _DENSE_NAMES.finditer(text):
        if (found := _dense(text, match)) is not None:
            yield Credential(*found, _dense_kind(match))
    for match in _AFTER_EMAIL.finditer(text):
        login = _LOGIN.search(text[max(0, match.start() - _WINDOW) : match.start()])
        if login is not None and (found := _value(text, match.start("value"))) is not None:
            yield Credential(*found, "password")
    for match in _AFTER_CREDENTIALS.finditer(text):
        known = match["user"].lower() not in _FUNCTION | _FOLLOWING
        if known and (found := _value(text, match.start("value"))) is not None:
            yield Credential(*found, "password")
    for match in _PAIR.finditer(text):
        if (found := _pair(text, match)) is not None:
            yield Credential(*found, "password")


_Span = tuple[int, int]


def _value(text: str, start: int) -> _Span | None:
    """Return the place of a quoted value or of a word, without the sentence's punctuation."""
    if quoted := _QUOTED.match(text, start):
        return None if quoted["value"].startswith("•") else quoted.span("value")
    bare = _BARE.match(text, start)
    if bare is None:
        return None
    end = bare.end()
    while end > start:
        last = text[end - 1]
        opening = _BRACKETS.get(last)
        if last in _STRIPPED or (opening and opening not in text[start : end - 1]):
            end -= 1
        else:
            break
    return (start, end) if end > start and text[start] not in "•*$" else None


def _is_quoted(text: str, span: _Span) -> bool:
    return text[span[0] - 1 : span[0]] in tuple("\"'`“”„«»‚‘’") and span[0] > 0


def _goes_on(text: str, end: int) -> bool:
    """Whether the sentence goes on behind a word."""
    return _END.match(text, end) is None


def _is_word(text: str, span: _Span, words: frozenset[str]) -> bool:
    return text[slice(*span)].lower().strip("'’!\"") in words


def _password(text: str, name: re.Match[str], before: str) -> _Span | None:
    end, word = name.end(), name[0].lower()
    if word == "clave" and re.search(r"palabras?\s+$", before, re.IGNORECASE):
        return None
    if _is_plural(name):
        return None
    if (sign := _SIGN.match(text, end) or _FOR_SIGN.match(text, end)) is not None:
        return _assigned(text, sign, phrase=bool(name["phrase"]))
    if (to := _TO.match(text, end)) is not None and _CHANGE.search(before):
        span = _value(text, to.end())
        if span is None or (
            not _is_quoted(text, span)
            and (
                _is_word(text, span, _UNASSIGNED | _STATES)
                or (_is_word(text, span, _FUNCTION) and _goes_on(text, span[1]))
            )
        ):
            return None
        return span
    gap = _GAP.match(text, end)
    span = _value(text, gap.end()) if gap else None
    if span is None or gap is None:
        return None
    if _is_quoted(text, span):
        return span
    if _is_word(text, span, _FUNCTION | _STATES | _FOLLOWING) or _UNIT.match(text, span[1]):
        single = span[1] - span[0] == 1 and not _goes_on(text, span[1])
        return span if single and _WITH.search(before) else None
    odd = _ODD.match(text[slice(*span)])
    if word in _WEAK:
        likely = odd or not _goes_on(text, span[1])
        login = _LOGIN.search(before) or (odd and _LOGIN.search(text[span[1] : span[1] + _WINDOW]))
        return span if likely and login else None
    if ("," in gap[0] and not odd) or name["phrase"]:
        return None
    alone = not before.strip() and not text[span[1] :].strip(" .!")
    entered = _ENTERING.match(text, span[1]) and not _is_word(text, span, _ADVERBS)
    if odd or alone or entered or _WITH.search(before):
        return span
    return span if _LOGIN.search(before) and not _is_determined(before) else None


def _changed(text: str, name: re.Match[str], before: str) -> list[_Span] | None:
    """Return the old and the new value of a credential that is to be changed."""
    match = _FROM.match(text, name.end())
    if match is None or not _CHANGE.search(before):
        return None
    spans = [_value(text, match.start("old")), _value(text, match.end())]
    known = [span for span in spans if span is not None]
    harmless = any(_is_word(text, span, _FUNCTION | _UNASSIGNED) for span in known)
    return None if harmless or len(known) < 2 else known


_AND = re.compile(r"\s{0,3}(?:,|(?<=\s)(?:and|or|und|oder|et|ou|y|o)(?!\w))\s{1,3}", re.IGNORECASE)


def _listed(text: str, name: re.Match[str]) -> list[_Span]:
    """Return several values: `my passwords are ropewalk14 and rope2`."""
    sign = _SIGN.match(text, name.end()) if _is_plural(name) else None
    found: list[_Span] = []
    at = sign.end() if sign else None
    while at is not None and (span := _value(text, at)) is not None:
        if not _ODD.match(text[slice(*span)]) or _UNIT.match(text, span[1]):
            break
        found.append(span)
        following = _AND.match(text, span[1])
        at = following.end() if following else None
    return found


def _is_plural(name: re.Match[str]) -> bool:
    return name[0].lower().startswith(("passwords", "pass words"))


def _is_determined(before: str) -> bool:
    """Whether an article is before a name, so that what follows may be part of a noun."""
    return re.search(r"(?<!\w)(?:the|a|das|ein|le|un|el|il|het|une|o|um|forgot|reset|change)\s+$", before, re.IGNORECASE) is not None  # fmt: skip


def _assigned(text: str, sign: re.Match[str], *, phrase: bool) -> _Span | None:
    """Return the value after `:` or `is`."""
    span = _value(text, sign.end())
    if span is None:
        return None
    if _is_quoted(text, span):
        return span
    if phrase and (words := _PHRASE_VALUE.match(text, span[0])):
        return words.span()
    strong = "colon" in sign.re.groupindex and sign["colon"]
    strong = strong or ("more" in sign.re.groupindex and sign["more"])
    if _UNIT.match(text, span[1]) or (not strong and _is_word(text, span, _STATES)):
        return None
    if strong and _is_word(text, span, _STATES | _FOLLOWING):
        return None
    if _is_word(text, span, _FUNCTION) and (_goes_on(text, span[1]) or len(text[slice(*span)]) > 1):
        return None
    return span


def _pin(text: str, name: re.Match[str], before: str) -> _Span | None:
    end = name.end()
    sign = _SIGN.match(text, end) or _FOR_SIGN.match(text, end)
    if sign is not None:
        span = _value(text, sign.end())
        digits = _DIGITS.match(text, sign.end())
        if digits:
            return None if _UNIT.match(text, digits.end()) else digits.span()
        is_odd = span is not None and any(map(str.isdigit, text[slice(*span)]))
        return span if is_odd and span and not _UNIT.match(text, span[1]) else None
    to = _TO.match(text, end) if _CHANGE.search(before) else None
    gap = to or _GAP.match(text, end)
    digits = _DIGITS.match(text, gap.end()) if gap else None
    if digits is None or _UNIT.match(text, digits.end()):
        return None
    shouted = name[0] != name[0].lower() or len(name[0]) > 3
    if shouted or _WITH.search(before) or _LOGIN.search(before) or not _goes_on(text, digits.end()):
        return digits.span()
    return None


def _code(text: str, end: int, *, qualified: bool) -> _Span | None:
    sign = _SIGN.match(text, end) or _FOR_SIGN.match(text, end)
    gap = sign or _GAP.match(text, end)
    if gap is None:
        return None
    start = gap.end() + (text[gap.end() : gap.end() + 1] in tuple("\"'`“„«"))
    found = _SIX.match(text, start)
    if found is None and qualified:
        found = _DIGITS.match(text, start) or _MIXED.match(text, start)
    return None if found is None or _UNIT.match(text, found.end()) else found.span()


def _key(text: str, name: re.Match[str], before: str) -> _Span | None:
    sign = _SIGN.match(text, name.end())
    gap = sign or _GAP.match(text, name.end())
    span = _value(text, gap.end()) if gap else None
    if span is None or span[1] - span[0] < 8:
        return None
    value = text[slice(*span)]
    return span if re.search(r"\d", value) and re.search(r"[^\W\d]", value) else None


def _before(text: str, name: re.Match[str], before: str, kind: Kind) -> _Span | None:
    """Return the value before a name: `ropewalk14 is my password`."""
    match = _AFTERWARDS.search(before)
    if match is None:
        return None
    offset = name.start() - len(before)
    start, end = offset + match.start("value"), offset + match.end("value")
    span = _value(text, start)
    if span is None or (span[1] != end and not _is_quoted(text, span)):
        return None
    value = text[slice(*span)]
    odd = _ODD.match(value) is not None
    if kind != "password":
        return span if value.isdigit() and len(value) >= 4 - (kind == "pin") else None
    if _is_quoted(text, span):
        return span
    if _is_word(text, span, _FUNCTION | _UNASSIGNED | _STATES):
        return None
    used = _USED.search(text[max(0, start - 20) : start]) is not None
    plain = used if match["role"] else start == 0 or text[:start].rstrip()[-1:] in ".,;:!?"
    return span if odd or plain else None


def _dense(text: str, name: re.Match[str]) -> _Span | None:
    match = _DENSE_VALUE.match(text, name.end())
    if match is None:
        return None
    span = match.span("quoted" if match["quoted"] else "bare")
    while span[1] - span[0] > 1 and text[span[1] - 1] in ".,;:?)":
        span = (span[0], span[1] - 1)
    if _dense_kind(name) != "password" and not any(map(str.isdigit, text[slice(*span)])):
        return None
    harmless = _is_word(text, span, _FOLLOWING | _STATES) or text[span[0]] in ".,;:?!)(*•"
    return None if harmless else span


def _dense_kind(name: re.Match[str]) -> Kind:
    return "pin" if name["pin"] else "code" if name["code"] else "password"


def _pair(text: str, match: re.Match[str]) -> _Span | None:
    span = _value(text, match.start("value"))
    user = match["user"].lower()
    if span is None or _is_word(text, span, _FOLLOWING | _FUNCTION):
        return None
    if user in _FOLLOWING | _FUNCTION and not _ODD.match(text[slice(*span)]):
        return None
    login = _LOGIN.search(text[max(0, match.start() - _WINDOW) : match.start("user")])
    times = user.isdigit() or user in ("http", "https", "mailto", "tel", "id", "url")
    return span if login and not times and "." not in user.rpartition("@")[0] + ("" if "@" in user else user) else None  # fmt: skip
