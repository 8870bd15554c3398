"""Vendors' published formats that the vendored rules lack, cut short or find where none is."""

from limen.kit.secret.rule import Rule
from limen.kit.secret.value import is_generated, is_mixed, is_random

# A key's armour: its head, then lines of base64 or of headers, then its foot unless that was cut off; or what is left when the
# head was. In JSON a line's end is written as a backslash and a letter; in code each line may be a literal of its own, and in a
# letter each may have a mark before it. A head alone gives nothing away.
_GAP = r"(?:\s|\\[nrt]|['\"][ \t]*[+,.]?[ \t]*\r?\n[ \t]*[brfu]{0,2}['\"]|\n[ \t]*[>|#*]{1,3})"
_FOOT = r"-{4,5} ?END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_PRIVATE_KEY = (
    r"(-{4,5} ?BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)? ?-{4,5}"
    rf"(?:{_GAP}+(?:[A-Za-z0-9+/=]{{16,}}|[A-Za-z-]{{3,20}}: [^\n\"\\]{{1,80}}))+"
    rf"(?:{_GAP}*[A-Za-z0-9+/=]{{0,80}}{_GAP}*{_FOOT})?)"
)
_PRIVATE_KEY_END = rf"((?:[A-Za-z0-9+/=]{{16,}}{_GAP}+)+(?:[A-Za-z0-9+/=]{{1,80}}{_GAP}*)?{_FOOT})"


def _format(name: str, shape: str, *keywords: str) -> Rule:
    return Rule(name, shape, keywords, accepts=is_generated)


FORMATS: tuple[Rule, ...] = (
    _format("aws-access-key-id", r"\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})\b", "akia", "asia", "abia", "acca"),
    _format("aws-bedrock-key", r"\b(ABSK[A-Za-z0-9+/]{40,}={0,2})", "absk"),
    _format("anthropic-key", r"\b(sk-ant-[A-Za-z0-9_-]{20,})", "sk-ant-"),
    _format("openrouter-key", r"\b(sk-or-(?:v1-)?[A-Za-z0-9]{32,})", "sk-or-"),
    _format("openai-key", r"\b(sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,})", "sk-"),
    Rule("openai-key", r"\b(sk-[A-Za-z0-9]{20,})", ("sk-",), accepts=is_random),
    _format("langfuse-key", r"\b((?:sk|pk)-lf-[A-Za-z0-9-]{16,})", "k-lf-"),
    _format("langsmith-key", r"\b(lsv2_(?:pt|sk)_[a-f0-9]{24,}(?:_[a-f0-9]{6,})?)", "lsv2_"),
    _format("github-token", r"((?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,}))", "ghp_", "gho_", "ghu_", "ghs_", "ghr_",
            "github_pat_"),
    _format("gitlab-token", r"\b((?:gl(?:pat|oas|dt|rtr?|cbt|ptt|ft|imt|agent|soat|ffct|wt)-|GR1348941)[A-Za-z0-9_.-]{18,}[A-Za-z0-9_-])",
            "glpat-", "gloas-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-", "glffct-",
            "glwt-", "gr1348941"),
    _format("google-api-key", r"\b(AIza[A-Za-z0-9_-]{35})", "aiza"),
    _format("google-oauth-secret", r"\b(GOCSPX-[A-Za-z0-9_-]{20,})", "gocspx-"),
    _format("google-access-token", r"\b(ya29\.[A-Za-z0-9_-]{20,})", r"ya29\."),
    _format("google-refresh-token", r"(?:^|[^A-Za-z0-9/])(1//0[A-Za-z0-9_-]{35,})", "1//0"),
    _format("slack-token", r"\b((?:xox[abdeoprs]|xapp)[-.][A-Za-z0-9.-]{10,}[A-Za-z0-9])", "xox", "xapp"),
    _format("slack-webhook", r"(hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{20,})", r"hooks\.slack"),
    _format("discord-webhook", r"(discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{10,}/[A-Za-z0-9_-]{30,})", "/webhooks/"),
    _format("discord-bot-token", r"\b([MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})\b", r"[a-z0-9_-]{8}\.[\w-]{6}\.[\w-]{8}"),
    _format("telegram-bot-token", r"\b(\d{8,10}:A[A-Za-z0-9_-]{34})\b", r"\d{8}:a[a-h]"),
    _format("stripe-key", r"\b((?:[sr]k_(?:live|test|prod)_|whsec_)[A-Za-z0-9+/=]{10,})", "k_live_", "k_test_", "k_prod_", "whsec_"),
    _format("square-key", r"(?:^|[^A-Za-z0-9+/_-])((?:sq0(?:atp|csp|idb)-[A-Za-z0-9_-]{20,}|EAAA[A-Za-z0-9_-]{58,}))", "sq0", "eaaa"),
    Rule("facebook-token", r"(?:^|[^A-Za-z0-9+/_-])(EAA[A-Za-z0-9]{60,})", ("eaa",), accepts=is_random),
    _format("huggingface-token", r"\b((?:hf|api_org)_[A-Za-z0-9]{30,})", "hf_", "api_org_"),
    _format("npm-token", r"\b(npm_[A-Za-z0-9]{30,})", "npm_"),
    _format("pypi-token", r"\b(pypi-[A-Za-z0-9_-]{40,})", "pypi-"),
    _format("rubygems-key", r"\b(rubygems_[a-f0-9]{40,})", "rubygems_"),
    Rule("crates-token", r"\b(cio[A-Za-z0-9]{32})\b", (r"cio\w{8}",), accepts=is_random),
    _format("replicate-token", r"\b(r8_[A-Za-z0-9]{30,})", "r8_"),
    _format("sendgrid-key", r"\b(SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})", r"sg\."),
    _format("mailchimp-key", r"\b([a-f0-9]{32}-us\d{1,2})\b", r"[a-f0-9]-us\d"),
    _format("mailgun-key", r"\b((?:key|pubkey)-[a-f0-9]{32})\b", "key-"),
    _format("brevo-key", r"\b(xkeysib-[a-f0-9]{40,}-[A-Za-z0-9]{8,})", "xkeysib-"),
    _format("twilio-key", r"\b(SK[a-f0-9]{32})\b", r"sk[a-f0-9]{8}"),
    _format("tavily-key", r"\b(tvly-[A-Za-z0-9-]{16,})", "tvly-"),
    _format("firecrawl-key", r"\b(fc-[a-f0-9]{28,})\b", r"fc-[a-f0-9]{8}"),
    _format("perplexity-key", r"\b(pplx-[A-Za-z0-9]{30,})", "pplx-"),
    _format("groq-key", r"\b(gsk_[A-Za-z0-9]{30,})", "gsk_"),
    _format("xai-key", r"\b(xai-[A-Za-z0-9]{30,})", "xai-"),
    _format("fireworks-key", r"\b((?:fw_|fw-|fpk_)[A-Za-z0-9]{20,})\b", "fw_", "fw-", "fpk_"),
    _format("elevenlabs-key", r"\b(sk_[a-f0-9]{40,})\b", r"\bsk_[a-f0-9]{8}"),
    _format("fal-key", r"\b([a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}:[a-f0-9]{32})\b", r"-[a-f0-9]{12}:[a-f0-9]"),
    Rule("prefixed-key", r"\b((?:exa|brv|mem0|retaindb|hsk|syt|e2b|vck|am|am_org|bb_live|ctx7sk|sk_live|nvapi|jina|cal_live|phx|phc|"
         r"rnd|napi|lip|voy|pa|csk|cohere|gpk|rpa|r2d|bu|m0)[_-][A-Za-z0-9]{20,}[A-Za-z0-9_-]*)", (
         "exa_", "brv_", "mem0_", "retaindb_", "hsk-", "syt_", "e2b_", "vck_", "am_", "bb_live_", "ctx7sk-", "nvapi-", "jina_", "cal_live_",
         "phx_", "phc_", "rnd_", "csk-", "rpa_", "pa-", "m0-"), accepts=is_random),
    Rule("fernet-token", r"\b(gAAAA[A-Za-z0-9_=-]{60,})", ("gaaaa",), accepts=is_random),
    _format("digitalocean-token", r"\b(do[opr]_v1_[a-f0-9]{40,})", "_v1_"),
    _format("databricks-token", r"\b(dapi[a-f0-9]{32}(?:-\d+)?)\b", "dapi"),
    _format("docker-token", r"\b(dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,})", "dckr_"),
    _format("vault-token", r"\b(hv[sbr]\.[A-Za-z0-9_-]{20,})", r"hvs\.", r"hvb\.", r"hvr\."),
    _format("terraform-token", r"\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,})", "atlasv1"),
    _format("grafana-token", r"\b(gl(?:sa|c)_[A-Za-z0-9_+/=]{30,})", "glsa_", "glc_"),
    _format("linear-key", r"\b(lin_(?:api|oauth)_[A-Za-z0-9]{30,})", "lin_"),
    _format("notion-token", r"\b((?:ntn_[A-Za-z0-9]{30,}|secret_[A-Za-z0-9]{43}))\b", "ntn_", "secret_"),
    _format("figma-token", r"\b(fig(?:d|u|o|r|h|uh)_[A-Za-z0-9_-]{30,})", "figd_", "figu_", "figo_", "figr_", "figh_", "figuh_"),
    _format("airtable-token", r"\b(pat[A-Za-z0-9]{14}\.[a-f0-9]{40,})", r"\bpat[a-z0-9]{14}\."),
    _format("typeform-token", r"\b(tfp_[A-Za-z0-9_.=-]{40,})", "tfp_"),
    _format("postman-key", r"\b(PMAK-[A-Za-z0-9]{20,}-[A-Za-z0-9]{30,})", "pmak-"),
    _format("newrelic-key", r"\b(NR(?:AK|II|JS|RA)-[A-Za-z0-9_-]{19,})", "nrak-", "nrii-", "nrjs-", "nrra-"),
    _format("sentry-token", r"\b(sntr(?:yu_[a-f0-9]{40,}|ys_[A-Za-z0-9+/=_-]{40,}))", "sntry"),
    _format("atlassian-token", r"\b(AT(?:ATT|CTT|STT|BB)[A-Za-z0-9_=-]{24,})", r"at(?:att|ctt|stt|bb)\w"),
    _format("shopify-token", r"\b(shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32})\b", "shp"),
    _format("asana-token", r"\b([012]/\d{10,20}(?:/\d{10,20})?:[a-f0-9]{32})\b", r"[012]/\d{10}"),
    _format("pulumi-token", r"\b(pul-[a-f0-9]{40})\b", "pul-"),
    _format("doppler-token", r"\b(dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44})", r"dp\."),
    _format("planetscale-token", r"\b(pscale_(?:tkn|pw|oauth|otkn)_[A-Za-z0-9_=.-]{30,})", "pscale_"),
    _format("supabase-token", r"\b(sb(?:p|_secret)_[A-Za-z0-9_-]{30,})", "sbp_", "sb_secret_"),
    _format("vercel-token", r"\b(vc[pkiar]_[A-Za-z0-9]{24,})", "vcp_", "vck_", "vci_", "vca_", "vcr_"),
    _format("netlify-token", r"\b(nf[pcoubf]_[A-Za-z0-9_]{36,})", "nfp_", "nfc_", "nfo_", "nfu_", "nfb_", "nff_"),
    _format("fly-token", r"\b((?:fo1_[A-Za-z0-9_-]{40,}|fm[12][ar]?_[A-Za-z0-9+/=]{60,}))", "fo1_", "fm1", "fm2"),
    _format("heroku-key", r"\b(HRKU-[A-Za-z0-9_-]{36,})", "hrku-"),
    _format("tailscale-key", r"\b(tskey-[a-z]+-[A-Za-z0-9]{8,}(?:-[A-Za-z0-9]{8,})?)", "tskey-"),
    _format("cloudflare-token", r"\b(v1\.0-[a-f0-9]{24}-[a-f0-9]{100,})", r"v1\.0-"),
    _format("buildkite-token", r"\b(bk(?:ua|aj|et|ct)_[A-Za-z0-9]{30,})", "bkua_", "bkaj_", "bket_", "bkct_"),
    _format("circleci-token", r"\b(CCI(?:PAT|PRJ)_[A-Za-z0-9]{20,}_[a-f0-9]{40})", "ccipat_", "cciprj_"),
    _format("sonar-token", r"\b(sq[upa]_[a-f0-9]{40})\b", "squ_", "sqp_", "sqa_"),
    _format("sourcegraph-token", r"\b(sgp_(?:(?:[a-f0-9]{16}|local)_)?[a-f0-9]{40})\b", "sgp_"),
    _format("dropbox-token", r"\b(sl\.(?:u\.)?[A-Za-z0-9_-]{100,})", r"sl\."),
    _format("contentful-token", r"\b(CFPAT-[A-Za-z0-9_-]{40,})", "cfpat-"),
    _format("algolia-key", r"(?i)algolia[\w.-]{0,20}['\"]?[ \t]{0,3}[:=][ \t]{0,3}['\"]?([a-f0-9]{32})\b", "algolia"),
    _format("onepassword-token", r"\b(ops_eyJ[A-Za-z0-9+/_-]{100,}={0,3})", "ops_ey"),
    _format("azure-client-secret", r"(?:^|[^A-Za-z0-9_~.-])([A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34})", "q~"),
    _format("azure-account-key", r"(?i)(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})", "accountkey", "sharedaccesskey"),
    Rule("azure-sas", r"(?i)[?&;]sig=([A-Za-z0-9%+/=_-]{30,})", ("sig=", r"[?&;=](?:sv|se|skn)="), within=r"(?i)[?&;=](?:sv|se|skn)=", accepts=is_mixed),
    _format("azure-devops-token", r"\b([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})\b", "azdo"),
    _format("teams-webhook", r"([a-z0-9-]+\.webhook\.office\.com/webhookb2/[a-z0-9@/-]{60,})", "webhookb2"),
    _format("pinecone-key", r"\b(pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,})", "pcsk_"),
    Rule("resend-key", r"\b(re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,})\b", (r"re_\w{8}_",), accepts=is_random),
    _format("mapbox-token", r"\b(sk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{16,})", r"sk\.ey"),
    _format("deepl-key", r"\b([a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}:fx)\b", ":fx"),
    _format("twitch-token", r"\b(oauth:[a-z0-9]{30})\b", "oauth:"),
    Rule("wallet-key", r"\b([xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,112})\b", ("prv",), accepts=is_random),
    _format("azure-function-key", r"(?i)\.azurewebsites\.net/[^\s\"'<>]{0,200}[?&]code=([A-Za-z0-9_/+%-]{40,}={0,2})", "azurewebsites"),
    Rule("jwk", r"\"(?:d|k|p|q|dp|dq|qi)\"[ \t]*:[ \t]*\"([A-Za-z0-9_-]{22,})\"", (r"\"kty\"",), within=r"\"kty\"[ \t]*:[ \t]*\"(?:RSA|EC|OKP|oct)\"",
         accepts=is_generated),
    _format("age-key", r"\b(AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{50,})", "age-secret-key-1"),
    Rule("jwt", r"\b(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})", ("eyj",)),
    _format("jwe", r"\b(eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})", "eyj"),
    Rule("private-key", _PRIVATE_KEY, ("private key",)),
    Rule("private-key", _PRIVATE_KEY_END, ("private key",)),
    _format("putty-key", r"(Private-Lines: \d+\r?\n(?:[A-Za-z0-9+/=]+\r?\n)+)", "private-lines"),
    _format("otp-secret", r"otpauth://[^\s\"'<>]*[?&]secret=([A-Z2-7a-z]{16,}=*)", "otpauth://"),
)  # fmt: skip
