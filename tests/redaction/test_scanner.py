"""Which values are secret, and that no text keeps one."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.redaction import Scanner, StreamCleaner, known_secrets
from tests.redaction.canaries import CANARIES, dotenv, environment

ORDINARY = {
    "PATH": "/usr/local/bin:/usr/bin:/home/ada/.local/bin",
    "HOME": "/home/ada",
    "USER": "ada",
    "LOGNAME": "administrator",
    "LANG": "en_US.UTF-8",
    "LC_TIME": "de_DE.UTF-8",
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
    "HOSTNAME": "3f9a2b7c1d4e",
    "MACHINE": "build-server-07.example.org",
    "TZ": "Europe/Berlin",
    "MODE": "production",
    "REGION": "eu-central-1b",
    "PORT": "8080",
    "COUNT": "1234567890",
    "RATE": "3.14159265",
    "STARTED": "2026-11-22T10:24:09Z",
    "MODEL": "Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf",
    "OTHER_MODEL": "claude-opus-4-5-20251101",
    "PYTHON_VERSION": "3.11.14rc1",
    "BASE_URL": "http://127.0.0.1:8080/v1",
    "ACCEPT": "text/html;q=0.9",
    "JAVA_OPTIONS": "-Xmx512m -XX:+UseG1GC",
    "CLASS": "MyCompanyServerNameFactory",
    "SSH_AUTH_SOCK": "/tmp/ssh-XXXXabcd/agent.42",
    "PASSWORD_STORE_DIR": "/home/ada/.password-store",
    "KEYBOARD": "us-intl",
    "API_KEY": "none",
    "TOKEN_LIMIT": "200000",
    "DEBUG_TOKEN": "true",
    "SECRET_PIN": "1234",
    "SSL_KEY": "/etc/ssl/private/server.key",
    "SSH_KEY": "~/.ssh/id_ed25519",
    "CREDENTIALS": r"C:\Users\Ada\credentials.json",
    "CACHE_DIR": "/tmp/k4Hs9Pw2Lz7Qx3Vn8Bd5/cache",
    "PASSWORD_CHANGED": "2026-11-22T10:24:09Z",
    "PARTITION_KEY": "country",
    "DYNAMO_SORT_KEY": "created",
    "PUBLIC_KEY": "readable",
    "API_KEY_HEADER": "X-Request-Owner",
    "TOKEN_TYPE": "bearer-like",
    "PASSWORD_HASHER": "argon-two",
    "SIGNING_KEY_ID": "primary-of-two",
    "MONKEY": "banana",
    "BYPASS": "proxies",
    "POSTGRES_PASSWORD": "postgres",
    "MYSQL_ROOT_PASSWORD": "secret",
    "ADMIN_API_KEY": "changeme",
    "TOKEN_FORMAT": "bearer",
    "TOKEN_URL": "https://idp.example.com/oauth/token",
    "SECRET_BACKEND": "vaultkv",
    "PASSWORD_POLICY": "strict",
    "ACCESS_KEY_COLUMN": "country",
    "TOKENS_PER_MINUTE": "unlimited",
    "KEY": "column",
    "GROUP_KEY": "country",
    "INDEX_KEY": "customer",
    "ROW_KEY": "amount",
    "DICT_KEYS": "amount",
    "MAX_TOKENS": "unlimited",
    "STOP_TOKENS": "return",
    "EOS_TOKEN": "</s>abc",
    "DJANGO_AUTH": "django",
    "GIT_COMMIT": "3f2a9c1d8e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b",
    "BUILD_ID": "a1b2c3d4-1111-4222-8333-444455556666",
    "PATTERN": "[A-Z]{2}[0-9]+",
    "DATE_RE": r"^\d{4}-\d{2}$",
    "SITE": "https://www.example.org/articles/the-life-of-ada-lovelace-2026",
    "SOURCE_COMMIT_URL": "https://git.example.org/a/commit/3f2a9c1d8e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b",
    "SETTINGS_JSON": '{"mode": "production", "port": 8080}',
}


def scanner(tmp_path, some=CANARIES):
    (tmp_path / ".env").write_text(dotenv(some))
    return Scanner(known_secrets({**ORDINARY, **environment(some)}, [tmp_path]))


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_values_are_no_secrets(name):
    assert known_secrets({name: ORDINARY[name]}) == ()


@pytest.mark.parametrize("canary", CANARIES, ids=lambda one: one.name)
def test_every_canary_is_found_and_taken_out(canary, tmp_path):
    known = scanner(tmp_path)
    text = f"one line\nthe value is {canary.text} here\n"
    found = known.find(text)
    assert any(one.line == 2 for one in found)
    assert all(canary.value not in str(one) for one in found)
    clean = known.redact_text(text)
    assert canary.trace not in clean and "[secret]" in clean
    assert clean.startswith("one line\nthe value is ") and clean.endswith(" here\n")


def test_the_source_is_named_and_the_value_is_not(tmp_path):
    (tmp_path / ".env.local").write_text("PGPASSWORD=pa55-w0rd # mine\n")
    known = known_secrets({"DB_PASS": "hunter2"}, [tmp_path])
    assert [one.source for one in known] == ["PGPASSWORD in .env.local", "the variable DB_PASS"]
    assert "hunter2" not in repr(known) and "pa55" not in repr(known)
    assert [str(one) for one in Scanner(known).find("x\ny hunter2")] == ["the variable DB_PASS (line 2)"]


def test_a_guessable_secret_counts_as_a_word_only():
    known = Scanner(known_secrets({"DB_PASS": "hunter2"}))
    assert known.redact_text("hunter2, 'hunter2' HUNTER2") == "[secret], '[secret]' [secret]"
    assert known.redact_text("hunter22 shunter2 hunter2x") == "hunter22 shunter2 hunter2x"


def test_a_secret_put_together_from_pieces_is_found(tmp_path):
    known = scanner(tmp_path)
    half = CANARIES[2].value[:10], CANARIES[2].value[10:]
    assert known.find(f'x = "{half[0]}" + "{half[1]}"\n')
    assert known.find(f"{half[0]}\n{half[1]}")


@pytest.mark.parametrize(
    "value",
    ["/hunter2x", "~/hunter2x", "./hunter2x", "C:\\hunter2x", "/aQ3/kT9x+Zw", "84629173", "48-29-17-03", "84.62,91:73"],
)
def test_a_password_counts_even_where_it_begins_as_a_path_or_is_made_of_digits(value):
    known = Scanner(known_secrets({"DB_PASS": value}))
    assert known.redact_text(f"it is {value} here") == "it is [secret] here"


def test_a_random_value_that_begins_with_a_slash_is_a_secret_under_any_name():
    assert known_secrets({"BUILD": "/q8Zr2Kd9Xw4Mv7Tb1Ny6"})


@pytest.mark.parametrize("key", ["/usr/local/bin", "123456", "2026-11-22", "10.2.3"])
def test_the_key_of_an_endpoint_counts_whatever_it_looks_like(key):
    assert Scanner(known_secrets({}, keys=[key])).redact_text(f"key {key} sent") == "key [secret] sent"


@pytest.mark.parametrize("name", ["KEY", "APIKEY", "api-key", "MY_KEY", "DBPASS", "DB_PASS", "PGPASSWORD", "SECRET_ID"])
def test_names_of_secrets_are_known(name):
    assert known_secrets({name: "letmein-please"})


def test_ordinary_text_holds_none(tmp_path):
    known = scanner(tmp_path)
    for text in ORDINARY.values():
        assert known.find(f"it says {text} there") == [] and known.redact_text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "sk-" + "a1B2" * 8,
        "ghp_" + "x" * 36,
        "glpat-" + "x" * 20,
        "AKIA" + "A" * 16,
        "-----BEGIN RSA PRIVATE KEY-----",
        "https://user:hunter22@example.org/",
        'api_key = "abcdefgh1234"',
        "{'DB_PASS': 'abcdefgh'}",
        "xoxb-1234567890-abc",
        "AIza" + "b" * 35,
        "sk-ant-api03-" + "aB3_" * 8,
        "sk_live_" + "a1B2" * 6,
        "https://hooks.slack.com/services/T0AB12CD3/B0AB12CD3/" + "x" * 24,
        "https://hooks.slack.com/workflows/T0AB12CD3/A0AB12CD3/1234567890/" + "x" * 24,
        "https://discord.com/api/webhooks/123456789012345678/" + "aB3_-" * 13,
        "https://discordapp.com/api/v10/webhooks/123456789012345678/" + "x" * 68,
        "123456789:AA" + "x" * 33,
        "xapp-1-A0AB12CD3-1234567890-" + "a1" * 16,
        "GOCSPX-" + "x" * 28,
        "ya29." + "x" * 40,
        "AccountKey=" + "a" * 86 + "==",
        "aws_secret_access_key = " + "aB3/" * 10,
        "dop_v1_" + "a1" * 32,
        "hvs." + "x" * 24,
        "shpat_" + "a1" * 16,
        "postgresql://app:pa55w0rd@db.example.org:5432/app",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "SG." + "a" * 22 + "." + "b" * 43,
        "Authorization: Bearer abcdef1234567890",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.abc",
    ],
)
def test_credentials_are_known_by_their_form(text):
    assert Scanner().find(f"before {text} after")


@pytest.fixture(scope="module")
def known():
    return Scanner(known_secrets(environment(CANARIES)))


@pytest.mark.slow
@given(data=st.data())
def test_a_stream_cut_anywhere_shows_what_the_whole_would(data, known):
    parts = data.draw(
        st.lists(st.sampled_from([*(one.text for one in CANARIES), "words ", "é", "sk-", "İ", "a"]), max_size=5)
    )
    text = " ".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    cleaner = StreamCleaner(known)
    pieces = [text[one:other] for one, other in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert "".join([*(cleaner.clean_piece(piece) for piece in pieces), cleaner.close()]) == known.redact_text(text)


def test_a_file_that_is_no_text_gives_no_secrets(tmp_path):
    (tmp_path / ".env").write_bytes(b"\xff\xfe\x00KEY")
    (tmp_path / ".envrc").mkdir()
    assert known_secrets({}, [tmp_path, tmp_path / "gone"]) == ()


PIN = "8462917305"


def test_a_number_in_data_is_a_secret_where_its_digits_are(tmp_path):
    known = Scanner(known_secrets({"BANK_PIN": PIN, "DOOR_CODE_SECRET": "11112222", "COUNT": "1234567890"}))
    data = {"a": [int(PIN), -int(PIN), float(PIN)], "b": (8462917306, 84629173050, 11112222, 1234567890), "c": True}
    told = known.redact_value(data)
    assert told["a"] == ["[secret]"] * 3
    assert told["b"] == [8462917306, 84629173050, 11112222, 1234567890] and told["c"] is True
    assert known.redact_value([10**5000, float("nan"), float("inf"), PIN])[-1] == "[secret]"


@pytest.mark.parametrize("written", ["8_462_917_305", "8,462,917,305", "0x1F86DDEB9", "8462917305.0"])
def test_a_number_is_found_however_it_is_written(written):
    known = Scanner(known_secrets({"BANK_PIN": PIN}))
    assert known.find(f"x = {written}") and PIN[:4] not in known.redact_text(f"x = {written}")
    assert known.redact_text(f"x = 7{written}7") == f"x = 7{written}7"


def test_data_without_a_secret_stays_the_same_value():
    data = {"a": [1, "b", None, ("c", 2.5)]}
    assert Scanner(known_secrets(environment(CANARIES))).redact_value(data) is data


TOKEN, WORDS = "8f3Kq9ZpL2mX7vTnB4wR", "Sommer-2024-Berg"
LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJ"


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("DATABASE_URL", "postgres://svc:Tr0ub@dor-77x@db/app", "Tr0ub@dor-77x"),
        ("DATABASE_URL", "postgres://svc:Tr0ub/dor77xQ@db/app?to=a@b", "Tr0ub/dor77xQ"),
        ("QUEUES", f"amqp://a:{WORDS}@one,amqp://b:Tr0ub/dor77xQ@two", "Tr0ub/dor77xQ"),
        ("REPOSITORY", f"https://{TOKEN}@git.example.com/x.git", TOKEN),
        ("HOOK", f"https://chat.example.com/hooks/{TOKEN}", TOKEN),
        ("EXTRA_HEADERS", f"Authorization: Bearer {TOKEN}", TOKEN),
        ("AUTHORIZATION", "Basic YWRtaW46U29tbWVyLTIwMjQtQmVyZw==", WORDS),
        ("SVC_AUTH", f"Token {TOKEN}", TOKEN),
        ("BASIC_AUTH", f"admin:{WORDS}", WORDS),
        ("APP_CONFIG", '{"db": [{"user": "svc", "password": "Sommer-2024-Berg"}]}', WORDS),
        ("APP_CONFIG", f'{{"url": "https://me:{WORDS}@db.example.com/"}}', WORDS),
        ("CREDENTIALS", f'{{"private_key": "-----BEGIN PRIVATE KEY-----\\n{LINE}\\n-----END"}}', LINE),
        ("API_KEYS", f"{TOKEN},Zz9Lp7TXk3q1IMEFnUtX", "Zz9Lp7TXk3q1IMEFnUtX"),
    ],
)
def test_a_secret_inside_a_value_is_known(name, value, secret):
    assert Scanner(known_secrets({name: value})).redact_text(f"it is {secret} here") == "it is [secret] here"


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_KEY2",
        "DB_PASSWORD2",
        "STRIPE_KEY_LIVE",
        "APP_KEY_OLD",
        "X_TOKEN_NEW",
        "stripeApiKey",
        "dbPassword",
        "accessToken",
        "DB_PASSWORT",
        "MOT_DE_PASSE",
        "KENNWORT",
        "CLE_API",
    ],
)
def test_names_of_secrets_are_known_with_numbers_endings_and_in_other_languages(name):
    assert known_secrets({name: "sommerberg"})


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        (r'DB_PASSWORD="Sommer\"Berg-2024"', 'Sommer"Berg-2024'),
        (rf'PRIVATE_KEY="-----BEGIN PRIVATE KEY-----\n{LINE}\n-----END"', LINE),
        ("BASE=8f3Kq9\nDB_PASSWORD=${BASE}ZpL2mX7v", "8f3Kq9ZpL2mX7v"),
        ("DB_PASSWORD=$'Sommer-Berg9'", "Sommer-Berg9"),
        ("DB_PASSWORD='Sommer'\"-Berg9\" # mine", "Sommer-Berg9"),
        ('DB_PASSWORD="Som\u2028Berg9xx"', "Som\u2028Berg9xx"),
        ("DB_PASSWORD='Sommer\nBerg-9'", "Sommer\nBerg-9"),
        ("DB_PASSWORD: Sommer-Berg9", "Sommer-Berg9"),
        ("DB_PASSWORD=Sommer Berg #mine", "Sommer Berg"),
    ],
)
def test_a_dotenv_file_is_read_as_programs_read_it(tmp_path, line, secret):
    (tmp_path / ".env").write_text(f"{line}\nMODE=production\n")
    known = Scanner(known_secrets({}, [tmp_path]))
    assert known.redact_text(f"it is {secret} here") == "it is [secret] here"
    assert known.redact_text("in production") == "in production"


@pytest.mark.parametrize(
    "told",
    [
        base64.encodebytes((WORDS * 6).encode()).decode(),
        "# " + base64.encodebytes(f"it is {WORDS * 6}!".encode()).decode().replace("\n", "\n# "),
        str(list((WORDS * 6).encode())),
        ",".join(map(hex, (WORDS * 6).encode())),
        (WORDS * 6).replace("-", r"\u002d"),
        (WORDS * 6).replace("2", r"\x32"),
    ],
)
def test_a_secret_is_found_wrapped_as_bytes_and_with_single_signs_escaped(told):
    known = Scanner(known_secrets({"DB_PASSWORD": WORDS * 6}))
    clean = known.redact_text(f"one\n{told} two")
    assert known.find(told) and clean.startswith("one\n") and clean.endswith(" two")
    assert "[secret]" in clean and len(clean) < 60
