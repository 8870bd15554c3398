"""Whole kinds of credentials, in every place where they turn up; and whole kinds of text that only look like one."""

import pytest
from kit.secret.made import made

from limen.kit.redact import SecretTable, mask

TABLE = SecretTable()
SEEDS = range(4)

FORMATS = {
    "aws": "AKIA{U16}", "aws-sts": "ASIA{U16}", "bedrock": "ABSK{B109}", "github": "ghp_{A36}", "github-fine": "github_pat_{A22}_{A59}",
    "github-server": "ghs_{A36}", "github-refresh": "ghr_{A76}", "gitlab": "glpat-{u20}", "gitlab-runner": "glrt-{u20}",
    "gitlab-trigger": "glptt-{h40}", "gitlab-deploy": "gldt-{u20}", "slack-bot": "xoxb-{N12}-{N12}-{A24}", "slack-app": "xapp-1-{U11}-{N13}-{h64}",
    "slack-user": "xoxp-{N12}-{N12}-{N12}-{h32}", "slack-hook": "https://hooks.slack.com/services/T{U8}/B{U10}/{A24}",
    "slack-refresh": "xoxe-1-{U146}", "stripe": "sk_live_{A24}", "stripe-restricted": "rk_live_{A24}", "stripe-test": "sk_test_{A24}",
    "stripe-hook": "whsec_{A32}", "openai": "sk-{A20}T3BlbkFJ{A20}", "openai-project": "sk-proj-{u74}T3BlbkFJ{u74}",
    "openai-service": "sk-svcacct-{u58}T3BlbkFJ{u58}", "anthropic": "sk-ant-api03-{u93}AA", "anthropic-admin": "sk-ant-admin01-{u93}AA",
    "openrouter": "sk-or-v1-{h64}", "deepseek": "sk-{h32}", "langfuse": "sk-lf-{h8}-{h4}-{h4}-{h4}-{h12}", "langsmith": "lsv2_pt_{h32}_{h10}",
    "google": "AIza{u35}", "google-secret": "GOCSPX-{u28}", "google-access": "ya29.{u120}", "google-refresh": "1//0{u60}",
    "npm": "npm_{A36}", "pypi": "pypi-AgEIcHlwaS5vcmc{u80}", "rubygems": "rubygems_{h48}", "crates": "cio{A32}", "huggingface": "hf_{A34}",
    "replicate": "r8_{A37}", "docker": "dckr_pat_{u27}", "docker-org": "dckr_oat_{u32}", "sendgrid": "SG.{u22}.{u43}", "mailchimp": "{h32}-us12",
    "mailgun": "key-{h32}", "brevo": "xkeysib-{h64}-{A16}", "twilio": "SK{h32}", "telegram": "{N10}:AA{u33}", "discord": "MT{A22}.{u6}.{u38}",
    "discord-hook": "https://discord.com/api/webhooks/{N18}/{u68}", "heroku": "HRKU-AA{u58}", "vault": "hvs.{u90}", "vault-batch": "hvb.{u140}",
    "terraform": "{A14}.atlasv1.{u64}", "grafana": "glsa_{A32}_{h8}", "grafana-cloud": "glc_{B60}", "linear": "lin_api_{A40}", "notion": "ntn_{N11}{A35}",
    "figma": "figd_{u40}", "airtable": "pat{A14}.{h64}", "postman": "PMAK-{h24}-{h34}", "newrelic": "NRAK-{U27}", "sentry-user": "sntryu_{h64}",
    "atlassian": "ATATT3xFfGF0{u176}={U8}", "bitbucket": "ATBB{A32}", "shopify": "shpat_{h32}", "shopify-secret": "shpss_{h32}", "pulumi": "pul-{h40}",
    "doppler": "dp.pt.{A43}", "doppler-service": "dp.st.dev.{A40}", "planetscale": "pscale_tkn_{u43}", "planetscale-password": "pscale_pw_{u43}",
    "supabase": "sbp_{h40}", "netlify": "nfp_{A36}", "fly": "fo1_{u43}", "tailscale": "tskey-auth-{A12}-{A32}", "buildkite": "bkua_{h40}",
    "sourcegraph": "sgp_{h16}_{h40}", "sonar": "squ_{h40}", "databricks": "dapi{h32}", "digitalocean": "dop_v1_{h64}", "digitalocean-oauth": "doo_v1_{h64}",
    "perplexity": "pplx-{A48}", "groq": "gsk_{A52}", "xai": "xai-{A80}", "tavily": "tvly-{A32}", "tavily-dev": "tvly-dev-{A32}", "firecrawl": "fc-{h32}",
    "fireworks": "fw_{A24}", "elevenlabs": "sk_{h48}", "facebook": "EAA{A150}", "square": "sq0atp-{u22}", "square-access": "EAAA{u60}",
    "age": "AGE-SECRET-KEY-1{Q58}", "azure-ad": "{A3}8Q~{u34}", "azure-devops": "{A76}AZDO{A4}", "onepassword": "ops_eyJ{B300}",
    "azure-storage": "AccountName=store;AccountKey={B86}==", "jwt": "eyJ{u30}.eyJ{u60}.{u43}", "asana": "1/{N16}:{h32}", "dropbox": "sl.{u140}",
    "easypost": "EZAK{A54}", "frameio": "fio-u-{u64}", "duffel": "duffel_live_{u43}", "prefect": "pnu_{l36}", "readme": "rdme_{l70}",
    "shippo": "shippo_live_{h40}", "typeform": "tfp_{A44}_{A14}", "scalingo": "tk-us-{A48}", "clojars": "CLOJARS_{l60}", "dynatrace": "dt0c01.{U24}.{U64}",
    "pinecone": "pcsk_{A6}_{A60}", "resend": "re_{A8}_{A24}", "mapbox": "sk.eyJ{u60}.{u22}", "deepl": "{h8}-{h4}-{h4}-{h4}-{h12}:fx",
    "twitch": "oauth:{l30}", "azure-function": "https://x.azurewebsites.net/api/f?code={u54}==", "fernet": "gAAAAAB{u120}", "e2b": "e2b_{h40}", "nvidia": "nvapi-{u64}", "vercel": "vcp_{A56}", "teams":
    "https://corp.webhook.office.com/webhookb2/{h8}-{h4}-{h4}-{h4}-{h12}@{h8}-{h4}-{h4}-{h4}-{h12}/IncomingWebhook/{h32}/{h8}-{h4}-{h4}-{h4}-{h12}",
}  # fmt: skip
PLACES = {
    "log": "2026-11-30 02:11:09 DEBUG client configured with {} retry=3", "prose": "please use {} for the demo account",
    "code": "client = Client('{}')", "json": '{{"t": "{}"}}', "url": "https://api.example.com/v1?x={}&y=2", "env": "export THING={}",
    "yaml": "thing: {}\n", "sentence": "The value is {}.", "markdown": "`{}`", "ansi": "\x1b[32m{}\x1b[0m", "cell": "| key | {} |",
    "alone": "{}", "invisible": "see \u200b{}\u200b here",
}  # fmt: skip


def middle(secret):
    return secret[len(secret) // 4 : len(secret) - len(secret) // 4]


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("template", FORMATS.values(), ids=FORMATS)
def test_a_known_format_is_masked_wherever_it_stands(template, place):
    for seed in SEEDS:
        secret = made(template, seed)
        text = place.format(secret)
        assert middle(secret) not in mask(text, TABLE).text, text


@pytest.mark.parametrize("template", FORMATS.values(), ids=FORMATS)
def test_a_known_format_is_found_in_an_address_and_when_zero_width_characters_cut_it(template):
    secret = made(template, 9)
    assert TABLE.in_value(f"https://x.example/p?q={secret}&r=1")
    half = len(secret) // 2
    cut = f"{secret[:half]}\u200b{secret[half:]}"
    assert secret[half : half + half // 2] not in mask(f"see {cut} here", TABLE).text


PASSWORD, KEY, HEX = "Tr0ub4dor-{A6}", "{A32}", "{h40}"
NAMED = {
    "env-password": ("DB_PASSWORD={}", PASSWORD), "ini": ("password = {}", PASSWORD), "yaml": ("db:\n  password: {}", PASSWORD),
    "yaml-quoted": ('  passwd: "{}"', PASSWORD), "json": ('{{"user":"a","password":"{}"}}', PASSWORD), "toml": ("secret_key = '{}'", KEY),
    "json-escaped": ('"{{\\"api_key\\": \\"{}\\"}}"', KEY), "python": ("Config(api_key='{}', timeout=3)", KEY), "camel": ('const apiKey = "{}";', KEY),
    "php": ("'client_secret' => '{}',", KEY), "aws-secret": ("AWS_SECRET_ACCESS_KEY={}", "{B40}"), "env-token": ("export OKTA_TOKEN={}", "{u42}"),
    "registry": ("CARGO_REGISTRY_TOKEN={}", KEY), "twilio": ("TWILIO_AUTH_TOKEN={}", "{h32}"), "datadog": ("DD_API_KEY={}", "{h32}"),
    "bearer": ("Authorization: Bearer {}", KEY), "bearer-json": ('"Authorization": "Bearer {}"', KEY), "basic": ("Authorization: Basic {}", "dXNlcjpw{A12}="),
    "header": ("curl -H 'X-Api-Key: {}' https://x", KEY), "vault-header": ("X-Vault-Token: {}", "s.{A24}"), "flag-password": ("mysqldump --password={} app", PASSWORD),
    "flag-token": ("deploy --token {} --force", KEY), "flag-api-key": ("run --api-key={}", KEY), "curl-user": ("curl -u admin:{} https://example.com", PASSWORD),
    "mysql": ("mysql -u root -p{} app", PASSWORD), "postgres": ("postgres://app:{}@db.example.com:5432/app", PASSWORD), "redis": ("redis://:{}@cache:6379/0", PASSWORD),
    "git": ("git clone https://bot:{}@git.example.com/r.git", PASSWORD), "git-token": ("https://{}@git.example.com/r.git", "{A40}"),
    "sftp": ("sftp://me:{}@files.example.com/", PASSWORD), "amqp": ("amqp://guest:{}@mq:5672//", PASSWORD), "mongo": ("mongodb+srv://app:{}@c0.example.net/db", PASSWORD),
    "netrc": ("machine example.com login me password {}", PASSWORD), "netrc-lines": ("machine example.com\n  login me\n  password {}\n", PASSWORD),
    "pgpass": ("db.example.com:5432:app:app:{}", PASSWORD), "pgpass-any": ("*:*:*:app:{}", PASSWORD), "htpasswd": ("admin:{}", "$apr1${A8}${A22}"),
    "htpasswd-bcrypt": ("admin:{}", "$2y$05${A53}"), "shadow": ("root:{}:19000:0:99999:7:::", "$6${A16}${A86}"), "argon": ("{}", "$argon2id$v=19$m=65536,t=3,p=4${A22}${A43}"),
    "kubeconfig": ("    client-key-data: {}", "{B120}=="), "kubeconfig-token": ("    token: {}", "{u60}"), "npmrc": ("//registry.example.org/:_authToken={}", KEY),
    "npmrc-auth": ("_auth={}", "{A32}=="), "kubernetes": ("apiVersion: v1\nkind: Secret\ndata:\n  tls.key: {}", "{B60}"),
    "form": ("grant_type=refresh_token&refresh_token={}&client_id=x", "{A40}"), "set-cookie": ("Set-Cookie: session={}; HttpOnly", KEY),
    "cookie": ("Cookie: theme=dark; sessionid={}; lang=en", KEY), "otp": ("otpauth://totp/x?secret={}&issuer=y", "{T32}"),
    "sas": ("https://a.blob.core.windows.net/c?sv=2022-11-02&se=2030-01-01&sig={}", "{A43}%3D"), "continuation": ("OPENAI_API_KEY={}\\\nAbC123dEf456", "sk-proj-{A40}"),
    "putty": ("Private-Lines: 2\n{}\n", "{B64}"), "maven": ("<password>{}</password>", PASSWORD), "jdbc": ("jdbc:postgresql://h/db?user=a&password={}", PASSWORD),
    "odbc": ("Server=h;Database=d;Uid=u;Pwd={};", PASSWORD), "smtp": ("smtp_password: '{}'", PASSWORD), "tfvars": ('db_password = "{}"', PASSWORD),
    "dockerfile": ("ENV API_TOKEN={}", KEY), "compose": ("      - POSTGRES_PASSWORD={}", PASSWORD), "ps": ("$env:API_KEY = \"{}\"", KEY),
    "pass": ("ansible_ssh_pass: {}", PASSWORD), "rails": ("secret_key_base: {}", "{h128}"), "laravel": ("APP_KEY=base64:{}", "{B43}="),
    "wireguard": ("PresharedKey = {}", "{B43}="), "psk": ('psk="{}"', PASSWORD), "rust": ('let api_key = String::from("{}");', KEY),
    "pydantic": ("Settings(db_password=SecretStr('{}'))", PASSWORD), "template": ("{{ apiKey: `{}` }}", KEY), "define": ('#define API_KEY "{}"', KEY),
    "lisp": ('(setq api-key "{}")', KEY), "powershell": ("Connect -User bob -Password '{}'", PASSWORD), "next-line": ('"token":\n    "{}"', KEY),
    "yaml-block": ("password: >-\n  {}", PASSWORD), "yaml-key": ("private_key: |\n  {}", KEY), "tab": ("password\t{}", PASSWORD),
    "authorization": ("Authorization: {}", KEY), "authorization-scheme": ("Authorization: ApiKey {}", "{B40}=="),
    "cookie-flag": ("curl -b 'session={}' https://x", "{A40}"), "sql": ("CREATE USER bob WITH PASSWORD '{}';", PASSWORD), "mysql-user": ("IDENTIFIED BY '{}'", PASSWORD),
    "url-at": ("postgres://app:p@ss{}@db/app", "{A8}"), "sshpass": ("sshpass -p {} ssh root@x", PASSWORD), "docker-login": ("docker login -u bob -p {} x.example", PASSWORD),
    "redis-cli": ("redis-cli -a {} ping", PASSWORD), "unzip": ("unzip -P {} file.zip", PASSWORD), "aws-configure": ("aws configure set aws_secret_access_key {}", "{B40}"),
    "net-use": ("net use Z: \\\\server\\share /user:bob {}", PASSWORD), "sudo": ("echo '{}' | sudo -S ls", PASSWORD), "snmp": ("snmp-server community {} RO", PASSWORD),
    "secure-string": ("ConvertTo-SecureString '{}' -AsPlainText -Force", PASSWORD), "signed": ("https://b.example/k?X-Amz-Signature={}&x=1", "{h64}"),
    "html-input": ('<input type="password" value="{}">', PASSWORD), "html-cell": ("<td>Password</td><td>{}</td>", PASSWORD),
    "html-label": ("<b>API key:</b> <code>{}</code>", KEY), "html-hidden": ('<input name="csrf_token" value="{}">', KEY), "xml-setting": ('<add key="ApiKey" value="{}"/>', KEY),
    "plist": ("<key>APIKey</key>\n<string>{}</string>", KEY), "table-cell": ("| password | {} |", PASSWORD), "csv": ("bob,bob@example.com,password,{}", PASSWORD),
    "bold": ("**Password:** {}", PASSWORD), "entities": ("&quot;password&quot;:&quot;{}&quot;", PASSWORD), "entity": ("password&#61;{}", PASSWORD),
    "encoded": ("password%3D{}%26x=1", PASSWORD), "encoded-json": ("%7B%22api_key%22%3A%22{}%22%7D", KEY), "wide": ("\uff50\uff41\uff53\uff53word={}", PASSWORD),
    "told": ("the password is {}", PASSWORD), "told-quoted": ('Log in with the password "{}".', PASSWORD), "told-for": ("Password for user bob: {}", PASSWORD),
    "told-german": ("das Passwort lautet {}", PASSWORD), "told-and": ("log in as bob with password {} and go on", PASSWORD), "told-set": ("set the password to {}", PASSWORD),
    "told-pass": ("user admin, pass {}", PASSWORD), "told-pair": ("credentials: admin / {}", PASSWORD), "told-key": ("your API key is {}.", KEY),
    "told-token": ("my access token is `{}`", KEY), "told-secret": ("The secret was {}, and is changed", KEY), "unseal": ("Unseal Key 1: {}", "{B43}="),
    "jwk": ('{{"kty":"oct","k":"{}"}}', "{u43}"), "armour-quoted": ("> -----BEGIN PRIVATE KEY-----\n> {}\n> -----END PRIVATE KEY-----", "{B64}\n> {B64}"),
    "armour-code": ("'-----BEGIN PRIVATE KEY-----\\n'\n    '{}\\n'", "{B64}"), "armour-ssh2": ("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{}\n", "{B64}\n{B64}"),
    "go": ("apiKey := \"{}\"", KEY), "java": ("props.setProperty(\"password\", \"{}\");", PASSWORD), "nested": ("settings['api_key'] = '{}'", KEY),
}  # fmt: skip


@pytest.mark.parametrize(("place", "template"), NAMED.values(), ids=NAMED)
def test_a_value_that_its_name_or_place_gives_away_is_masked(place, template):
    for seed in SEEDS:
        secret = made(template, seed)
        assert middle(secret) not in mask(place.format(secret), TABLE).text, place.format(secret)


ORDINARY = [
    "request id {h8}-{h4}-{h4}-{h4}-{h12} done", "commit {h40}", "merge {h7}...{h7}", "{h32}  file.iso", "FROM python:3.12@sha256:{h64}",
    '"integrity": "sha512-{B86}=="', "golang.org/x/net v0.30.0 h1:{B43}=", 'ETag: "{h32}"', "traceparent: 00-{h32}-{h16}-01", "sha256-{B43}=",
    'resolved "https://registry.example.org/a/-/a-1.0.0.tgz#{h40}"', "fingerprint SHA256:{B43}", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{B60} me@host",
    "0x{h40} is an Ethereum address", "kid: {u30} (JWKS public key id)", "-----BEGIN CERTIFICATE-----\n{B64}\n-----END CERTIFICATE-----",
    "GET /v1/items/{h8}-{h4}-{h4}-{h4}-{h12}", "url(data:font/woff2;base64,{B200})", "build {N6} of {N4}", "<path d='M12.5 3.4L22 10.7z'/>", "cache key: {h40}",
    "https://example.com/a/{h24}/b?page={N3}&id={N8}", "https://example.com/watch?v={u11}", "Digest: sha-256={B43}=", "x-request-id: {h32}",
    "password: ${DB_PASSWORD}", "password: $DB_PASSWORD", "API_KEY=your-api-key-here", "token = get_token(user)", "secret: !vault |", "PASSWORD=<password>",
    "Authorization: Bearer <token>", 'curl -H "Authorization: Bearer $TOKEN" https://x', "key: ${{ secrets.DEPLOY_TOKEN }} and $GITHUB_TOKEN", "max_tokens: 4096",
    "api_key = os.environ['API_KEY']", "const apiKey = process.env.API_KEY;", "token: str | None = None", "def verify(token: str, secret: bytes) -> bool:",
    "sort_key: created_at", "primary_key=True", "tokenizer: cl100k_base", "author=someone2", "sk-learn-contrib-imbalanced-2026-part-1", "sk_buff_head_init_class(&list)",
    "fc-matchpattern1", "fal_client_subscribe_async(app)", "exa_searchresultscount2", "am_exampleIdentifierLongNameHere1", "hf_hub_download_model_file_v2",
    'IDENTITY_TOKEN="bailu"', "per_layer_token_embd.weight=CPU", "forgot_password_url: https://example.com/reset", "next_page_token param is optional",
    "a JWT looks like xxxxx.yyyyy.zzzzz", "AKIAIOSFODNN7" + "EXAMPLE", "password = hashlib.sha256(data).hexdigest()", "secret_name: my-app-secret", "if password == '':",
    "https://example.com/?code=US-CA&key=population", "https://example.com/search?session=spring-2026", "model_id=ft:gpt-4o-mini:org::{A8}", "email=me@example.com:443",
    "2026-11-30T10:00:00.123456+00:00 host app[1234]: user:group:mode", "src/main.c:1204:12:warning:unused", "git@github.com:owner/repository.git", "https://user@example.com/",
    "auth: oauth2", "access_key: public-read", "credentials: include", "The token bucket refills every second.", "bearer of bad news", "Basic authentication2 is off",
    "sessionStorage.getItem('auth')", "AUTH_USER_MODEL=accounts.User2", "token_type: bearer", "expires_in: 3600, scope: read", "csrf_token: {{ csrf_token() }}",
    "The password is SHA256-hashed, the token HS256-signed.", "the password is 8-20chars long", "the token is valid for 15m", "Password: at least 1 digit",
    "The API key is in `config.yaml2`.", "| password | varchar(255) | not null |", "id,username,password,email2,created_at", "<td>Password</td><td>Required</td>",
    '<input type="password" id="password1" value="">', "login: admin/users2", "login: https://example.com/login2", "pass: test_login2", "PASS: test_abc1 (0.01s)",
    '"NextToken": "eyJ{A60}"', "--starting-token {A40}", '"pageToken": "{A24}"', "--client-token {h8}-{h4}-{h4}-{h4}-{h12}", '"AWS::AppSync::ApiKey": "{h16}"',
    "docker run -p 8080:80 -e A=b image2", "zip -r archive2.zip folder1", "curl -u \"$USER:$PASS\" https://x", "echo $PASSWORD | sudo -S ls", "http://localhost:8080/@user2",
    "-----BEGIN RSA PRIVATE KEY-----", 'START = b"-----BEGIN OPENSSH PRIVATE KEY-----"', 'password = password.encode("latin1")', "password=auth_info[2]",
    "AAD{B200}/EAAA{B80}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY", '{{"kty":"RSA","e":"AQAB","n":"{u86}"}}', "xpub{A107}", "auth: oauth2-proxy", "psk: wpa2",
    "Idempotency-Key: {h8}-{h4}-{h4}-{h4}-{h12}", "password%3Dfoo", "&quot;password&quot;: &quot;string&quot;", "?next=%2Flogin%3Ftoken%3Dabc", "machine x login y password <password>",
    "Cookie: _ga=GA1.2.1234567890.1234567890", "secretName: my-tls-secret-2026", "special_tokens_map_file: tokenizer_config2.json", "oauth:callback", "default password &lt;password1&gt;",
    "password_min_length: 12", "passwordless login 2", "ISBN 978-3-16-148410-0", "npm_config_registry=https://registry.example.org/",
]  # fmt: skip


@pytest.mark.parametrize("template", ORDINARY)
def test_what_only_looks_like_a_credential_stays_to_the_letter(template):
    for seed in SEEDS:
        text = made(template, seed)
        assert mask(text, TABLE).text == text


@pytest.mark.parametrize(
    "before",
    ["mot de passe : ", "le mot de passe est ", "Contraseña: ", "la contraseña es ", "senha=", "Wachtwoord: ", "Lösenord: ", "пароль: ",
     "密码：", "密碼: ", "パスワード：", "비밀번호: "],
)  # fmt: skip
def test_a_password_is_masked_in_the_languages_of_its_owners(before):
    masked = mask(f"{before}tulip4711X", TABLE)
    assert (masked.masked, "tulip" in masked.text) == (1, False)


@pytest.mark.parametrize(
    "text", ["Mot de passe oublié ? Cliquez ici", "忘记密码？点击这里", "пароль не подходит", "contraseña incorrecta"]
)
def test_talk_of_passwords_stays_in_every_language(text):
    assert mask(text, TABLE).text == text
