"""Values that their place gives away: what a name, a header, an option or a sentence says of them."""

from base64 import b64decode

from limen.kit.secret.rule import Rule
from limen.kit.secret.value import entropy_bits, is_mixed, is_random, is_strong, is_technical


def _password(value: str) -> bool:
    return len(value) >= 6 and is_mixed(value) and entropy_bits(value) >= 2.0


def _told_password(value: str) -> bool:
    return _password(value) and not is_technical(value)


def _url_password(value: str) -> bool:
    return len(value) >= 4 and not value.isdigit()


def _key(value: str) -> bool:
    return is_random(value, length=12, bits=2.8) and (len(value) >= 20 or not is_technical(value))


def _told_key(value: str) -> bool:
    return is_random(value, length=16) and not is_technical(value)


def _is_user_and_password(value: str) -> bool:
    try:
        return b":" in b64decode(value, validate=True)
    except ValueError:
        return False


def _flagged(value: str) -> bool:
    return len(value) >= 8 and is_mixed(value)


_QUOTE = r"(?:[brfu]{1,2}['\"]|\\?['\"`]|(?:new[ \t]+)?[\w.:]{0,20}(?:from|[Ss]tring|[Ss]tr|[Ss]ecret|bytes)\(['\"])"
_SEPARATOR = rf"(?:['\"\\\]]{{0,4}}[ \t]{{0,4}}(?:=>|:=|=|:|：)[ \t\x{{a0}}]{{0,4}}{_QUOTE}?|['\"],[ \t]{{0,4}}['\"]|>)"
# The value on the next line: a quoted one, or a block of YAML.
_NEXT_LINE = r"['\"]?[ \t]*[:=](?:[ \t]*[|>][+-]?[ \t]*\r?\n[ \t]+|[ \t]*\\?\r?\n[ \t]*['\"])"
_VALUE = r"([^\s'\"\\,;&<>(){}\[\]`|]{6,})(?:[\s'\"\\,;&<>){}\]`|]|$)"
_PASSWORD_NAME = (
    r"(?:password|passwd|passphrase|pwd|passcode|kennwort|passwort|contrase[ñn]a|senha|mot de passe|wachtwoord|lösenord|пароль|"
    r"密[码碼]|パスワード|비밀번호|(?:ssh|sudo|su|db|become|root|admin|user|smtp|mysql|ftp|mail|auth|"
    r"login|http|proxy|rpc|redis|mongo|vnc|wifi|bind|key|store)_?pass)"
)
_KEY_NAME = (
    r"(?:api[_-]?key|apikey|access[_-]?key(?:[_-]?id)?|secret(?:[_-]?(?:access[_-]?)?key(?:[_-]?base)?)?|auth[_-]?key|encryption[_-]?key|"
    r"signing[_-]?key|master[_-]?key|private[_-]?key|app[_-]?key|write[_-]?key|unseal[_-]key(?:[_-]\d)?|(?:pre)?shared[_-]?key|"
    r"client[_-]?key[_-]data|client[_-]?secret|secret[_-]?id|subscription[_-]?key|account[_-]?key|credentials?|(?:_|\b)auth|(?:_|\b)psk|token)"
)
_KEY_WORDS = ("key", "secret", "token", "credential", "auth", "psk")
_PASSWORD_WORDS = (
    "password", "passwd", "passphrase", "pwd", "passcode", "wort",
    r"(?:ssh|su|sudo|db|become|root|admin|user|smtp|mysql|ftp|mail|auth|login|http|proxy|rpc|redis|mongo|vnc|wifi|bind|key|store)_?pass",
    "contrase", "senha", "mot de passe", "wachtwoord",
    "lösenord", "пароль", "密[码碼]", "パスワード", "비밀번호",
)  # fmt: skip
_SESSION_NAME = r"[\w.-]{0,32}(?:sess|sid|auth|token|jwt|csrf|xsrf|remember|login|identity)[\w.-]{0,24}"
# What comes before a name decides what it names: where a list goes on or which request this is, is no secret; nor are types.
_NAME_BEFORE = r"[\w.:-]*"
_NO_SECRET = (
    r"(?i)(?:next|prev(?:ious)?|page|pagination|start(?:ing)?|continu(?:e|ation)|cursor|client(?:[_-]?request)?|change|lock|"
    r"idempotency|request|creation|sync|work[_-]?unit|resume|offset|list|delta)[_-]?token|\b(?:AWS|Alexa)::"
)
# Names, links and values as people write them: with blanks, with a verb between, in a table's cells, in marks of Markdown or HTML.
_SAID_KEY = (
    r"(?:api[ _-]?key|access[ _-](?:key|token)|secret(?:[ _-]?(?:access[ _-]?)?key)?|auth(?:entication|orization)?[ _-]token|token|"
    r"unseal key(?: \d)?|credentials?)"
)
_OF = r"(?:[ \t]+(?:for|of|on)[ \t][\w.@' -]*)?"
_VERB = rf"{_OF}['\"`*_]{{0,3}}(?:[ \t]+(?:is|was|are|to|now|ist|war|lautet|est|es)[ \t]*:?|:\*{{0,2}})[ \t]+['\"`*“‘]{{0,3}}"
_MARKUP = r"(?:\t|[*_`'\"]{0,3}(?:[ \t]*(?:\||:?[ \t]*</?[a-z][a-z0-9]{0,9}>|\bvalue=)[ \t]*\r?\n?[ \t]*){1,6}[*_`'\"]{0,3}|\*\*[ \t]*`?|,)"
_SAID_VALUE = r"([^\s'\"`“”‘’<>(){}\[\]|,;&]{5,}[^\s'\"`“”‘’<>(){}\[\]|,;&.:!?])(?:[\s'\"`“”‘’<>)}\]|,;&.:!?]|$)"

# A user's name, or more, in an address.
_URL_USER = r"://[^/\s'\"<>]*@"

NAMED: tuple[Rule, ...] = (
    Rule("bearer-token", r"(?i)\b(?:bearer|token)[ \t]+([A-Za-z0-9._~+/-]{16,}=*)", ("bearer", "authorization"), accepts=_key),
    Rule("authorization", r"(?i)\bauthorization['\"\\]{0,2}[:=][ \t]*['\"\\`]{0,2}(?:[a-z]{2,16}[ \t]+)?([A-Za-z0-9._~+/-]{20,}=*)",
         ("authorization",), accepts=_key),
    Rule("basic-credentials", r"(?i)\bauthorization['\"\\]{0,2}[:=][ \t]*['\"\\]{0,2}basic[ \t]+([A-Za-z0-9+/]{8,}=*)", ("basic",)),
    Rule("url-password", r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^/\s:@'\"<>]{0,64}:([^/\s'\"<>\[\]]{3,})@", (_URL_USER,), accepts=_url_password),
    Rule("url-token", r"\bhttps?://([A-Za-z0-9_-]{24,})@", (_URL_USER,), accepts=is_random),
    Rule("named-password", rf"(?i){_PASSWORD_NAME}{_SEPARATOR}{_VALUE}", _PASSWORD_WORDS, accepts=_password),
    Rule("named-password", rf"(?i){_PASSWORD_NAME}['\"\\]{{0,4}}[ \t]{{0,4}}(?:=>|:=|=|:)[ \t]{{0,4}}\\?\"([^\"\n\\]{{6,}})\\?\"",
         _PASSWORD_WORDS, accepts=_password),
    Rule("named-password", rf"(?i){_PASSWORD_NAME}{_NEXT_LINE}{_VALUE}", _PASSWORD_WORDS, accepts=_password),
    Rule("named-password", rf"(?i)\b{_PASSWORD_NAME}[ \t]+['\"“]([^\s'\"“”\\]{{6,64}})['\"”]", _PASSWORD_WORDS, accepts=_told_password),
    Rule("named-password", r"(?i)\bidentified[ \t]+(?:by|with[ \t]+\S+[ \t]+by)[ \t]+['\"]([^'\"\n]{6,64})['\"]", ("identified",),
         accepts=_password),
    Rule("told-password", rf"(?i)\b{_PASSWORD_NAME}{_VERB}{_SAID_VALUE}", _PASSWORD_WORDS, accepts=_told_password),
    Rule("told-password", rf"(?i)\b(?:with|and|use|using|the|user \S+)[ \t]+(?:the[ \t]+)?{_PASSWORD_NAME}[ \t]+{_SAID_VALUE}",
         _PASSWORD_WORDS, accepts=is_strong),
    Rule("told-password", rf"(?i)\buser(?:name)?[:= \t]{{1,3}}[^\s,;]+[,;]?[ \t]+(?:and[ \t]+)?pass[:= \t]{{1,3}}{_SAID_VALUE}", (r"pass[:= \t]",),
         accepts=_told_password),
    Rule("told-password", rf"(?i)\b(?:credentials?|creds|logins?)[ \t]*[:=][ \t]*[\w.@-]+[ \t]*[/:|][ \t]*{_SAID_VALUE}",
         ("cred", "login"), accepts=is_strong),
    Rule("told-password", rf"(?i)\b{_PASSWORD_NAME}{_MARKUP}{_SAID_VALUE}", _PASSWORD_WORDS, accepts=is_strong),
    Rule("told-password", r"(?i)<input\b[^<>]{0,200}\btype=['\"]?password\b[^<>]{0,200}\bvalue=['\"]([^'\"<>]{6,64})['\"]", ("password",),
         accepts=_password),
    Rule("named-secret", rf"(?i){_NAME_BEFORE}{_KEY_NAME}{_SEPARATOR}{_VALUE}", _KEY_WORDS, accepts=_key, unless=_NO_SECRET),
    Rule("named-secret", rf"(?i){_NAME_BEFORE}{_KEY_NAME}{_NEXT_LINE}{_VALUE}", _KEY_WORDS, accepts=_key, unless=_NO_SECRET),
    Rule("named-secret", rf"(?i){_NAME_BEFORE}{_KEY_NAME}[ \t]+['\"]([^\s'\"\\,;&<>(){{}}\[\]`|]{{12,}})['\"]", _KEY_WORDS, accepts=_key,
         unless=_NO_SECRET),
    Rule("told-secret", rf"(?i){_NAME_BEFORE}\b{_SAID_KEY}{_VERB}{_SAID_VALUE}", _KEY_WORDS, accepts=_told_key, unless=_NO_SECRET),
    Rule("told-secret", rf"(?i){_NAME_BEFORE}{_SAID_KEY}{_MARKUP}{_SAID_VALUE}", _KEY_WORDS, accepts=_told_key, unless=_NO_SECRET),
    Rule("told-secret", rf"(?i)\b(?:key|name|id)=['\"][\w.:-]*{_KEY_NAME}['\"][ \t]+\bvalue=['\"]([^'\"<>]{{12,}})['\"]",
         _KEY_WORDS, accepts=_key, unless=_NO_SECRET),
    Rule("flag-secret", r"(?i)\s--?[a-z-]{0,24}(?:token|secret|api-?key|access-?key)[ =]['\"]?([^\s'\"\\$`]{8,})",
         ("-token", "-secret", "key"), accepts=_flagged, unless=_NO_SECRET),
    Rule("flag-secret", r"(?i)\s--?[a-z-]{0,24}(?:password|passwd|pass|passphrase)[ =]['\"]?([^\s'\"\\$`]{6,})", (r"\s-[a-z-]*pass",), accepts=_password),
    Rule("flag-secret", r"\b(?:curl|wget|http|https)\b[^\n]*?\s(?:-u|--user|-a|--auth)[ =]?['\"]?[^\s:'\"]{1,64}:([^\s'\"]{4,})",
         (r"(?:curl|wget|http)[^\n]*\s-(?:-user|-auth|[ua])",), accepts=_url_password),
    Rule("flag-secret", r"\b(?:mysql|mysqldump|mariadb)\b[^\n]{0,200}?\s-p([^\s'\"-][^\s'\"]{5,128})", ("mysql", "mariadb"), accepts=_password),
    Rule("flag-secret", r"\b(?:sshpass|docker login|podman login|helm registry login|redis-cli|unzip|zip|7z|ldapsearch|openssl|az login)\b"
         r"[^\n|]{0,200}?\s-[apPwk][ =]?['\"]?([^\s'\"$-][^\s'\"]{5,128})", (r"(?:sshpass| login|redis-cli|zip|\b7z|ldapsearch|openssl)\b[^\n|]*\s-[apwk]",), accepts=_told_password),
    Rule("flag-secret", r"(?i)\b(?:set|add)[ \t]+\S{0,60}(?:secret|token|api[_-]?key|access_key)[ \t]+['\"]?([A-Za-z0-9+/=_-]{16,})", _KEY_WORDS,
         accepts=_key, unless=_NO_SECRET),
    Rule("flag-secret", r"(?i)\bnet use\b[^\n]{0,200}?/user:\S+[ \t]+['\"]?([^\s'\"]{6,64})", ("net use",), accepts=_password),
    Rule("piped-password", r"\becho[ \t]+(?:-n[ \t]+)?['\"]?([^\s'\"|$]{6,64})['\"]?[ \t]*\|[ \t]*(?:sudo[ \t]+-S|passwd|chpasswd|docker login)\b",
         ("echo",), accepts=_password),
    Rule("secure-string", r"(?i)ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?['\"]([^'\"\n]{6,128})['\"]", ("securestring",), accepts=_password),
    Rule("community-string", r"(?i)\bsnmp(?:-server|ro|rw)?[ \t]+community[ \t]+(\S{6,64})", ("community",), accepts=_password),
    Rule("netrc-password", r"(?i)\b(?:machine[ \t]+\S+|default)\s+(?:login[ \t]+\S+\s+)?(?:account[ \t]+\S+\s+)?password[ \t]+(\S{4,})",
         ("password",), accepts=_url_password),
    Rule("pgpass-password", r"(?m)^(?:[\w-]+(?:\.[\w-]+)+|localhost|\*):(?:\d{4,5}|\*):[^\s:]{1,63}:[^\s:]{1,63}:(\S{4,})$",
         (r":(?:\d{4,5}|\*):[^\s:]+:[^\s:]+:[^\s]",), accepts=_password),
    Rule("password-hash", r"(\$(?:apr1|1|2[abxy]|5|6|7|y|gy|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]*)\$[./A-Za-z0-9$=,+]{12,})", (r"\$",)),
    Rule("password-hash", r"(?m)^[^\s:]{1,64}:(\{SHA\}[A-Za-z0-9+/=]{20,})", (r"\{sha\}",)),
    Rule("password-hash", r"\bHashedControlPassword[ \t]+(16:[A-Fa-f0-9]{58})", ("hashedcontrol",)),
    Rule("registry-auth", r"\"auth\"[ \t]*:[ \t]*\"([A-Za-z0-9+/]{12,}={0,2})\"", ("\"auth\"",), accepts=_is_user_and_password),
    Rule("registry-auth", r"(?i)_(?:auth|authtoken|password)[ \t]*=[ \t]*\"?([A-Za-z0-9+/_-]{12,}={0,2})", ("_auth", "_password"), accepts=_key),
    Rule("kubernetes-secret", r"(?m)^[ \t]+[\w.-]{1,253}:[ \t]*\"?([A-Za-z0-9+/]{8,}={0,2})\"?[ \t]*$", ("secret",),
         within=r"(?im)^[ \t]*[\"']?kind[\"']?:[ \t]*[\"']?(?:Sealed)?Secret\b", accepts=lambda value: is_random(value, 8, 2.5)),
    Rule("cookie", rf"(?i)(?:^|[\s:'\"]){_SESSION_NAME}=([^;\s'\"\\,&]{{16,}})", ("cookie", "curl"),
         within=r"(?i)\bcookies?['\"]?[ \t]*[:=(]|\bcurl\b[^\n]{0,400}\s(?:-b|--cookie)[ =]", accepts=lambda value: is_random(value, 16, 3.0)),
    Rule("form-token", r"(?i)(?:^|[?&\s'\"])(?:refresh_token|access_token|id_token|client_secret|client_assertion|password|api_?key|code_verifier)="
         r"([^&\s'\"<>;()\[\]{}]{8,})", ("_token=", "secret=", "assertion=", "password=", "key=", "verifier="), accepts=_flagged),
    Rule("signature", r"(?i)[?&](?:x-(?:amz|goog)-signature|x-amz-security-token)=([A-Za-z0-9%+/=_-]{40,})", ("-signature=", "security-token="),
         accepts=is_mixed),
)  # fmt: skip
