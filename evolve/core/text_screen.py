"""Which sentences may become insights: short statements of fact, and nothing that reads like an order or like code.

Patterns by which a plain sentence is told from an order, an address, code, a secret and talk about the machine.

They know the words of a dozen languages and are no wall: whoever words an order as a fact gets through. What keeps
such a sentence from acting is that it is tried, and that it acts only where it was tried. Judging words alone either
refuses plain facts or lets orders pass; so words that are harmless by themselves count only together, such as
"deleted" with "tests", and a first word that may also be a noun, such as "first" or "return", counts as an order only
where no verb follows its subject.
"""

from __future__ import annotations

import re
import unicodedata

_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that are drawn as nothing though Unicode calls them letters or marks."""

# Pairs of what is done and what it is done to, by language; each is harmless by itself.
_PAIRS = (
    (
        r"\b(?:ignor|skip|delet|remov|disabl|bypass|overrid|reveal|disclos|mail|upload|export|forward|sent\b|send\b"
        r"|forg[eo]t|print|overwrit|switched off|turned off|not needed|unneeded|list it|copy|hand in)",
        r"\b(?:instructions?|previous rules|all rules|safety|tests|checks|verif\w+|filters?|safeguards?|hidden|memory"
        r"|insights?|workspace|contents|folder|partner|system prompt|examples|configuration|reports?|the keys)\b",
    ),
    (
        r"ignorier|überspr|lösch|entfern|deaktivier|schalt\w*|umgeh|verg[ei]ss|ausgeben|auszugeben|schick|sende"
        r"|\bgib\b|überflüssig|nicht mehr nötig",
        r"anweisung|regeln\b|\btests?\b|prüfung|kontrollen|\bfilter|verborgen|\bordner|\bschlüssel aus|beispiele\b",
    ),
    (
        r"\bignor|\bsaut|supprim|désactiv|contourn|\boubli|affich|\benvo[iy]|nécessaires",
        r"instructions|règles|\btests\b|vérification|contrôles|\bfiltre\b|cachée|\bdossier|\bclés\b|exemples",
    ),
    (
        r"\bignor|\bomit|\bsalt|\bborr|\belimin|desactiv|\bolvid|\bmuestr|\bmostrar|\benví|necesari",
        r"instrucciones|reglas|\bpruebas|verificaci|comprobaci|\bfiltro\b|\bclaves\b|ocult|\bcarpeta|ejemplos",
    ),
    (
        r"\b(?:ignor|cancell|apag|pul[ae]|invi[ao]|envi|mostr|stampa|desativ|disattiv)",
        r"istruzioni|instruções|regole|regras|\btest\b|\btestes|verific|chiavi|senhas|\bcartella|\bpasta\b|nascost",
    ),
    (r"\b(?:z?ignoruj|usuń|pomiń|wyłącz|wypisz|wyślij)", r"poleceni|instrukcj|zasad|\btest|klucz|folder"),
    (r"игнорир|удал[иё]|пропус|отключ|вывед|отправ", r"указани|инструкц|правил|\bтест|ключи|проверк|папк"),
    (r"yok say|\bsil|atla|yazdır", r"talimat|kural|\btest|anahtar"),
    (r"تجاهل|احذف|اطبع", r"التعليمات|الاختبار|المفاتيح"),
    (r"忽略|删除|跳过|禁用|输出|发送|导出|绕过|不再需要", r"指令|规则|测试|检查|验证|密钥|隐藏|文件夹|示例"),
    (r"無視|削除|省略|飛ば|無効|表示し|出力|送信|不要", r"指示|規則|テスト|検証|鍵|隠された|フォルダ|例を"),
)

_MAY_BE_NOUN = (
    r"first|open|return|store|post|update|set|note|change|check|call|copy|export|import|load|output|print|run|start"
    r"|stop|save|use|look|read|write|answer|process|request|order|list|test|sort|count"
)
_IS_ORDER = (
    r"always|never|do|don|please|kindly|remember|disregard|ignore|ensure|make|let|give|tell|try|forget|be|begin|consider"
    r"|assume|avoid|follow|get|go|put|take|obey|say|treat|trust|reply|respond|append|insert|delete|override|execute"
    r"|fetch|download|install|visit|connect|disable|keep|send|submit|remove|replace|add|include|click|grant|must|should"
    r"|skip|you|upload"
)
_VERB = (
    r"(?:is|are|was|were|has|have|had|may|can|cannot|must|does?|means?|comes?|starts?|begins?|ends?|stands?|holds?"
    r"|contains?|includes?|follows?|precedes?|carr(?:y|ies)|counts?|uses?|refers?|lies?|belongs?|becomes?|remains?"
    r"|stays?|occurs?|differs?|exceeds?|never|always|below|above)\b"
)
# After these a first word is no noun, because they begin its object.
_OBJECT = (
    r"(?:the|this|that|these|those|an?|all|any|every|each|it|them|no|none|only|your|my|its|in|to|with|from|as|at|by|for"
    r"|of|on|up|out|into|before|after|again|then|over)\b"
)
_NOUN_FIRST = re.compile(rf"(?:{_MAY_BE_NOUN})[ -](?!{_OBJECT})(?:[\w'-]+ ){{1,4}}?{_VERB}")
_ORDER_FIRST = re.compile(rf"(?:{_IS_ORDER}|{_MAY_BE_NOUN})\b(?!-)")
_FOREIGN_FIRST = re.compile(
    r"(?:ignoriere|lösche?|vergiss|gib|sende|schicke?|führe|lade|installiere|schreibe?|setze|verwende|benutze|rufe?"
    r"|öffne|antworte|füge|entferne|deaktiviere|überspringe|speichere|merke|ersetze|kopiere|zeige?|nimm|bitte"
    r"|\w+en sie|ignorez|supprimez|affichez|envoyez|exécutez|réponds|répondez|écris|écrivez|oubliez|utilisez|ajoutez"
    r"|téléchargez|sautez|veuillez|faites|mettez|n'\w+ez|ne \w+ez|responde|por favor"
    r"|no (?:ejecutes|uses|hagas|olvides|compruebes|verifiques|muestres))\b"
)
_SOMEWHERE = r"[:;,.!?]\s*(?:and |then |now |just |please |second(?:ly)?,? )*"

_PATTERNS = (
    (
        r"https?:|\bftp\.|www\.|\b[\w.-]+@[\w-]+\.\w|\b[\w-]+\.(?:com|net|org|io|sh|dev|ru|xyz|example)\b|(?<!\w)/\w+/\w+"
        r"|~/|\b\d{1,3}(?:\.\d{1,3}){3}\b",
        "it holds an address",
    ),
    (
        r"`|\$[({]|\{[^}]*[:;(][^}]*\}|==|\+=|&&|\|\s*(?:sh|bash)\b|\w\.\w+\([^)]|\w\([^()]*['\"=]"
        r"|\b(?:eval|exec|open|popen|system|compile|getattr)\s*\(|\bdef \w+|\bfrom \w+ import\b|\blambda\b[^.]*:"
        r"|\bimport \w+\s*(?:[;.,`]|$|and\b|before\b|as\b)|\bos\.\w+|\bsubprocess\b|\brm -|\\(?![nrt]\b|\\)|__\w+__",
        "it holds code",
    ),
    (
        r"^\W*(?:system|assistant|user|human|developer|tool|admin|ai|benutzer|assistent|système|utilisateur|sistema"
        r"|usuario|系统|用户|助手|システム|ユーザー)\s*[:：]|<[|/]?[a-z!]|\[/?inst\]|^\s*#{1,6}\s|\"role\"",
        "it feigns a message",
    ),
    (
        r"\bpass(?:words?|phrases?|wor[dt]\w*)\b|\bcredentials?\b|\bsecrets?\b|\bapi.?keys?\b|\baccess tokens?\b"
        r"|\bprivate key|\bkennw[oö]rt|zugangsdaten|mots? de passe|identifiants secrets|contraseñ|credencial"
        r"|\bsenhas?\b|парол|\bhasł|密码|口令|パスワード|\bwrite the key\b"
        r"|\bschlüssel in das\b|\bécrire la clé\b|\bescribir la clave\b",
        "it speaks of secrets",
    ),
    (
        r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{16,}\b|(?=[\w+/]*\d)(?=[\w+/]*[a-z])\b[a-z0-9+/]{24,}={0,2}"
        r"|(?:\b(?=\w*\d)(?=\w*[a-z])\w+ ){3,}",
        "it is encoded",
    ),
    (
        r"\bsandbox\b|\btime limit\b|\btimed out\b|\bout of memory\b|\b(?:permission|access) (?:was )?denied"
        r"|\bdenied access\b|\brefused operation|\bnot installed\b|\brate limit\w* (?:\w+ )?(?:hit|reached|exceeded)"
        r"|\b(?:network|endpoint|connection|disk) (?:is|was|has been) (?:down|full|refused|closed|reset|unavailable)",
        "it speaks of the machine and not of the task",
    ),
    (
        r"\b(?:right|good|every|each|correct|all) (?:answers?|solutions?|repl(?:y|ies))\b|\bsolutions? (?:succeed|work)"
        r"|\b(?:answers|tasks|amounts|dates) (?:of this (?:family|kind)|pass|are right)\b|\bstart of the answer\b"
        r"|(?:richtige\w*|gute|jede[rn]?) (?:antwort|lösung)|(?:bonne|chaque) réponse|partie de la réponse"
        r"|(?:buena|toda|cada) (?:respuesta|solución)|parte de la respuesta|(?:每个|好的|正确的?)答案|答案总是"
        r"|(?:良い|正しい)答え",
        "it speaks of answers and not of the task",
    ),
    (
        r"\b(?:assistant|the agent|the model) (?:must|should|need|has|will|can|may|is)\b|\byou(?:rs?)?\b"
        r"|\bfrom now on\b|\b(?:user|owner|reviewer|person|policy|operator) (?:wants|expects|asks|says|wishes|is to)\b"
        r"|\bgive up\b|\b(?:disregard|bypass|exfiltrat\w*|curl|wget|sudo|chmod|eval|exec|pwned)\b|\bsystem prompt\b"
        r"|\b(?:previous|earlier|prior) (?:\w+ )?(?:instructions?|rules?|insights?)\b"
        r"|\bdu (?:musst|sollst|darfst)\b|\bab (?:jetzt|sofort)\b|\b(?:auszuführen|auszugeben|zu löschen)\b"
        r"|\bbenutzer (?:möchte|will|wünscht)|\bil faut\b|\b(?:tu dois|vous devez)\b|\bdésormais\b"
        r"|\butilisateur (?:souhaite|veut)|\bdebes\b|\bhay que\b|\btienes que\b|a partir de (?:ahora|agora)"
        r"|\busuario (?:quiere|desea)|ください|なさい|せよ|請|请|务必|必须[把先]|用户希望|従え"
        rf"|{_SOMEWHERE}(?:always|never|please|remember|ignore|disregard|delete|download|send|skip|forget|upload|then)\b"
        r"|^\W*(?:important|note|insight|reminder|attention|warning|wichtig|achtung|hinweis|importante|nota|重要|注意)"
        r"\b[^:：]{0,20}[:：]",
        "it demands something",
    ),
)
DEMANDS, UNDOES = "it demands something", "it is about undoing rules, checks or secrecy"
"""What a person may say, and nobody else."""
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), why) for pattern, why in _PATTERNS)
_DEMANDING = (DEMANDS, "it speaks of secrets")
_PAIRED = tuple((re.compile(done, re.IGNORECASE), re.compile(to, re.IGNORECASE)) for done, to in _PAIRS)
_NAME = re.compile(r"`([\w.\[\] -]+)`")
"""A name in a sentence, as opposed to a line of code."""
_NO_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
_LONGEST = 240
_PIECE = 8
"""Letters; so many in a row seldom agree by chance, and scripts without spaces have them too."""
_REPEATED = 0.6
"""Share of a claim's pieces from which it repeats a text."""


def insight_problem(text: str) -> str:
    """Why a sentence cannot be an insight, or "".

    It must be one line of at most 240 plain characters, state something rather than demand it, hold no address and no
    code, and speak of the task rather than of the machine.
    """
    # Full-width and other compatible letters would pass the patterns.
    flat = unicodedata.normalize("NFKC", text)
    if not text.strip():
        return "it says nothing"
    if len(text) > _LONGEST or "\n" in text.strip():
        return f"it is longer than one line of {_LONGEST} characters"
    if hidden_character(text) or hidden_character(flat):
        return "it holds invisible characters"
    if not _is_sentence(flat):
        return "it is no sentence"
    return "it mixes alphabets within a word" if _mixes_alphabets(flat) else text_problem(flat)


def hidden_character(text: str) -> bool:
    """Whether a text holds characters that nobody sees, which may hold another text."""
    return any(unicodedata.category(sign) in ("Cc", "Cf", "Co", "Cs") or _unseen(sign) for sign in text)


def _unseen(sign: str) -> bool:
    return sign in _FILLERS or "\ufe00" <= sign <= "\ufe0f" or "\U000e0100" <= sign <= "\U000e01ef"


def _is_sentence(text: str) -> bool:
    """Whether there are three words, or in scripts without spaces six letters."""
    return len(re.findall(r"[^\W\d_]+", text)) >= 3 or len(_NO_SPACES.findall(text)) >= 6


def _mixes_alphabets(text: str) -> bool:
    """Whether a word has letters of two alphabets that look alike, by which words are hidden from patterns."""
    for word in re.findall(r"[^\W\d_]{2,}", text):
        # Units such as µs and formulas mix these few on purpose.
        names = {unicodedata.name(sign, "").partition(" ")[0] for sign in word if sign not in "μΩπΔσλ"}
        if "LATIN" in names and names & {"CYRILLIC", "GREEK", "CHEROKEE", "ARMENIAN"}:
            return True
    return False


def text_problem(text: str) -> str:
    """What speaks against a text in compatible form (NFKC) as a plain statement, or ""."""
    text = _NAME.sub(r"'\1'", text)
    for pattern, why in _COMPILED:
        if pattern.search(text):
            return why
    if any(_begins_as_order(sentence) for sentence in re.split(r"[.!?。！？]\s*(?=\D)", text.lower())):
        return DEMANDS
    if any(done.search(text) and to.search(text) for done, to in _PAIRED):
        return UNDOES
    return ""


def is_instruction(text: str) -> bool:
    """Whether a line of any text is a sentence that demands something or speaks of secrets, code in it or not."""
    flat = unicodedata.normalize("NFKC", text)
    if not _is_sentence(flat):
        return False
    demands = any(why in _DEMANDING and pattern.search(flat) for pattern, why in _COMPILED)
    return demands or _begins_as_order(flat.lower()) or any(a.search(flat) and b.search(flat) for a, b in _PAIRED)


def _begins_as_order(sentence: str) -> bool:
    # Without quotation marks, bullets and numbers, which may stand before an order.
    bare = sentence.lstrip(" \"'“”«»([-*•0123456789.)")
    if _FOREIGN_FIRST.match(bare):
        return True
    return _ORDER_FIRST.match(bare) is not None and _NOUN_FIRST.match(bare) is None


def comparison_key(text: str) -> str:
    """The sentence without case, punctuation and spacing, by which equal claims meet."""
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).lower()))


def repeats_text(cause: str, shown: str) -> bool:
    """Whether most of a claim stands in what was shown, in the same words or nearly the same."""
    own = remove_spaces(cause)
    pieces = [own[place : place + _PIECE] for place in range(max(1, len(own) - _PIECE + 1))]
    return bool(shown and own) and sum(piece in shown for piece in pieces) >= _REPEATED * len(pieces)


def remove_spaces(text: str) -> str:
    """The letters of a text without spaces, as texts are compared."""
    return comparison_key(text).replace(" ", "")
