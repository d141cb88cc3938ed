"""More wordings for ``benchmarks.conflict``: tastes, habits, names of two words, and changes told in other words.

``HABITS`` may be looked at while rules are worked on. ``HABITS_HELD`` was written before that, with other verbs and
subjects, and chooses nothing. ``TOGETHER`` and ``TOGETHER_HELD`` are pairs of which both may be true.
"""

from __future__ import annotations

from benchmarks.conflict_wordings import Domain

HABITS = (
    Domain(
        name="taste",
        subjects=("coffee", "jazz", "early meetings", "dark mode", "long hikes", "sailing"),
        values=("love", "hate", "enjoy", "can't stand", "don't like", "avoid"),
        told=("I {v} {s}", "I {v} {s}."),
        changed=("I {v} {s}", "I {v} {s} now"),
        asked=("what do I think of {s}", "do I like {s}", "plan a weekend with {s}"),
        free=True,
    ),
    Domain(
        name="their taste",
        subjects=("Kim", "Mira Okafor", "Jonas Weber", "Tom"),
        values=("enjoys", "hates", "can't stand", "loves", "doesn't like", "is tired of"),
        told=("{s} {v} board games",),
        changed=("{s} {v} board games", "{s} {v} board games these days"),
        asked=("does {s} like board games", "board games with {s}"),
        free=True,
    ),
    Domain(
        name="given up",
        subjects=("run every morning", "eat meat", "drive to work", "use tabs for indentation"),
        values=("x", "y"),
        told=("I {s}", "I {s}."),
        changed=("I don't {s} any more", "I no longer {s}", "I never {s} now"),
        asked=("do I {s}", "{s}"),
        free=True,
    ),
    Domain(
        name="two words",
        subjects=("our database", "my editor", "the build tool", "the default branch", "the wifi password", "my shell"),
        values=("alpha", "tulip", "postgres", "ninja", "main", "fish", "cobalt"),
        told=("{s} is {v}", "{s} is {v}."),
        changed=("{s} is {v}",),
        asked=("{s}", "what is {s}"),
        free=True,
    ),
    Domain(
        name="call me",
        subjects=("me",),
        values=("Sam", "Robbie", "Captain", "Alex"),
        told=("My name is {v}", "call {s} {v}"),
        changed=("call {s} {v} from now on", "Please call {s} {v}"),
        asked=("what is my name", "what do you call {s}"),
        free=True,
    ),
    Domain(
        name="upgrade",
        subjects=("the mail server", "the laptop", "the kiosk"),
        values=("Debian 11", "Debian 12", "Fedora 40", "Ubuntu 24"),
        told=("{s} runs {v}",),
        changed=("{s} was upgraded to {v}", "{s} has been downgraded to {v}"),
        asked=("what does {s} run", "operating system of {s}"),
        free=True,
    ),
    Domain(
        name="job",
        subjects=("Kim", "Lena Sato", "Omar Haddad"),
        values=("Globex", "Initech", "Hooli", "Umbrella"),
        told=("{s} works at {v}", "{s} works for {v}"),
        changed=("{s} started at {v}", "{s} started at {v} in May", "{s} went to work for {v}"),
        asked=("where does {s} work", "who employs {s}"),
        free=True,
    ),
    Domain(
        name="routine",
        subjects=("lunch", "the standup", "the choir"),
        values=("noon", "one", "nine", "seven"),
        told=("we have {s} at {v}",),
        changed=("we have {s} at {v}", "{s} starts at {v} now"),
        asked=("when do we have {s}", "{s} at what time"),
        free=True,
    ),
)

HABITS_HELD = (
    Domain(
        name="attitude",
        subjects=("opera", "spicy food", "open offices", "camping", "crosswords", "night trains"),
        values=("adore", "detest", "am fond of", "am sick of", "dread", "won't touch", "fancy"),
        told=("I {v} {s}", "I {v} {s}."),
        changed=("I {v} {s}", "nowadays I {v} {s}"),
        asked=("my opinion on {s}", "should I book {s}", "how do I feel about {s}"),
        free=True,
    ),
    Domain(
        name="their attitude",
        subjects=("Igor", "Ruth Bell", "Amina Diallo", "Paul"),
        values=(
            "raves about",
            "loathes",
            "has had enough of",
            "swears by",
            "couldn't care less about",
            "looks down on",
        ),
        told=("{s} {v} hot yoga",),
        changed=("{s} {v} hot yoga", "{s} {v} hot yoga lately"),
        asked=("what does {s} say to hot yoga", "gift for {s}: hot yoga pass?"),
        free=True,
    ),
    Domain(
        name="lapsed",
        subjects=("ship on Fridays", "print the invoices", "water the ferns twice a week", "keep bees"),
        values=("x", "y"),
        told=("We {s}", "We {s}."),
        changed=("We stopped: we don't {s}", "We do not {s} these days", "We won't {s} anymore"),
        asked=("do we {s}", "{s}?"),
        free=True,
    ),
    Domain(
        name="two plain words",
        subjects=("our linter", "my bank", "the package manager", "the test runner", "my dentist", "the guest code"),
        values=("violet", "hare", "pnpm", "ruff", "harbour", "quince", "delta"),
        told=("{s} is {v}", "{s} is {v}."),
        changed=("{s} is {v}",),
        asked=("{s}", "tell me {s}"),
        free=True,
    ),
    Domain(
        name="nickname",
        subjects=("me",),
        values=("Max", "Coach", "Toni", "Bee"),
        told=("I go by {v}", "people call {s} {v}"),
        changed=("please address {s} as {v}", "everyone calls {s} {v} these days", "from now on I'm {v}"),
        asked=("how should you address {s}", "what am I called"),
        free=True,
    ),
    Domain(
        name="release",
        subjects=("the billing app", "the tram display", "the archive node"),
        values=("version 3", "version 4", "Python 3.12", "Python 3.14"),
        told=("{s} is on {v}", "{s} uses {v}"),
        changed=("{s} got bumped to {v}", "{s} was migrated to {v}", "{s} made the jump to {v}"),
        asked=("which release is {s} on", "what does {s} use"),
        free=True,
    ),
    Domain(
        name="school",
        subjects=("Nora Quinn", "Luis", "Chen Wei"),
        values=("Ashford College", "Northgate", "Saint Mary's", "Weston High"),
        told=("{s} studies at {v}", "{s} goes to {v}"),
        changed=("{s} began at {v}", "{s} goes to {v}", "{s} is a student of {v} since autumn"),
        asked=("which school does {s} attend", "where does {s} study"),
        free=True,
    ),
    Domain(
        name="custom",
        subjects=("the plants", "the bins", "the rehearsal"),
        values=("Mondays", "Thursdays", "weekends", "payday"),
        told=("Bo does {s} on {v}",),
        changed=("Bo does {s} on {v}", "Bo now takes care of {s} on {v}"),
        asked=("when does Bo do {s}", "{s} on which day"),
        free=True,
    ),
)

TOGETHER = (
    ("I love sailing", "I love cooking", "sailing"),
    ("Ada likes tea", "Ada likes coffee", "what does Ada like"),
    ("I went to London", "I went to Paris", "where have I been"),
    ("The meeting is at nine", "The meeting is in room four", "meeting"),
    ("The billing service is written in Go", "The billing service is deployed in Frankfurt", "billing service"),
    ("Kim plays chess", "Kim works at Globex", "Kim"),
    ("my sister is a nurse", "my brother is a pilot", "my sister"),
    ("the wifi password is tulip", "the safe code is 4411", "wifi password"),
)

TOGETHER_HELD = (
    ("I collect stamps", "I collect coins", "what do I collect"),
    ("Ruth speaks Polish", "Ruth speaks Dutch", "languages of Ruth"),
    ("The fair is at the harbour", "The fair costs nothing", "fair"),
    ("The archive app is hosted in Oslo", "The archive app is tested with pytest", "archive app"),
    ("Igor keeps bees", "Igor sings in a choir", "Igor"),
    ("our cellar is damp", "our attic is hot", "our cellar"),
    ("we bought a tent", "we bought a canoe", "what did we buy"),
    ("the guest room is upstairs", "the guest list is on the fridge", "guest room"),
)
