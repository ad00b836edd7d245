/**
 * Whether a text may hold a credential, so that it is not kept.
 *
 * Python finds the credential itself (`webagent.registry.credentials`). An unsent goal never reaches Python, so here
 * a name of a credential, a login or a long number is enough.
 */

const NAMES =
  /pass ?-?w|passwd|passcode|pass ?-?phrase|\bpwd?\b|\bpass\b|passord|kennwort|codewort|mots? de passe|\bmdp\b|contrase|clave|senha|palavra.passe|parol|wachtwoord|lösenord|adgangskode|kodeord|salasan|has[łl]|hesl|jelsz|lozink|gesl|[şs]ifre|парол|κωδικ|סיסמ|كلمة|पासवर्ड|mật khẩu|sandi|รหัส|パスワード|暗証|密码|密碼|口令|비밀번호|암호|\bpin\b|pincode|geheimzahl|\bnip\b|пин|cod[ei]|código|codice|\bkod|kód|код|コード|验证码|驗證碼|인증|\bo?tp\b|totp|2fa|\btan\b|cv[vc]|\bkey\b|token|secret|answer|memorable|phrase|schlüssel|\bclé\b/i;

const LOGINS =
  /log ?-?(?:me )?(?:in|on)\b|sign ?-?(?:me )?(?:in|up|on)\b|user|account|credential|anmeld|eingelogg|einlogg|zugangsdaten|konto|connect|connexion|identifi|compte|sesión|usuario|cuenta|acced|entra|conta\b|inlog|aanmeld|logga|kirjaud|zalog|přihl|prihl|вой|giriş/i;

const NUMBER = /\d(?:[ -]?\d){11,}|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,}|\b(?:sk|rk|ghp|glpat|hf|xox.)[-_]\S{16,}|eyJ\S{16,}/;

/** Whether a text may hold a password, a code, a card number or a key. */
export function mayHoldCredential(text: string): boolean {
  return NAMES.test(text) || LOGINS.test(text) || NUMBER.test(text);
}
