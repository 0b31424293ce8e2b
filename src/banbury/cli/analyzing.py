"""Options that say what the features of a text are: a preset, and every setting of an analyzer by its own name."""

from __future__ import annotations

from banbury.annotations import TYPE_CHECKING, Any
from banbury.cli import completion
from banbury.cli.declared import BadParameter, Choice, IntRange, option, together

if TYPE_CHECKING:
    from banbury.text.analyzer import Analyzer

TREATMENTS = ("keep", "remove", "replace", "split")
FLAGS = {"lowercase": "", "emoticons": "", "negation": "Whether words after not become not_word."}
RECOGNISED = ("urls", "handles", "emails", "tags")
# The help of a command fits a screen: that of --analyzer names the rare ones, docs/how-to/command-line.md has them.
RARE_OPTIONS = ("lowercase", "emoticons")
RANGES = ("ngrams", "characters")
LISTS = ("stop_words", "keywords")
NAMES = ("words", *FLAGS, *RECOGNISED, "punctuation", "stop_words", "stemmer", "min_length", *RANGES, "keywords")


def settings(command: Any) -> Any:
    """The options of a command that makes an analyzer."""
    options = [
        option(
            "--analyzer",
            metavar="PRESET",
            shell_complete=completion.presets,
            help="Features: words, tweets, authors … Settings: these; --words, --lowercase, --emoticons, --urls, "
            "--handles, --emails, --tags, --keywords.",
        ),
        option("--ngrams", metavar="LOW,HIGH", help="Runs of so many words, such as 1,2."),
        option("--characters", metavar="LOW,HIGH", help="Runs of so many characters, such as 2,5."),
        option("--words", type=Choice(["unicode", "python", "none"]), hidden=True),
        *(
            option(f"--{name}/--no-{name}", default=None, hidden=name in RARE_OPTIONS, help=text)
            for name, text in FLAGS.items()
        ),
        *(option(f"--{name}", type=Choice(TREATMENTS), metavar="HOW", hidden=True) for name in RECOGNISED),
        option("--punctuation", type=Choice(["none", "expressive", "all"]), help="Which signs count."),
        option("--stop-words", metavar="WORD,…", help="Words to leave out; english has a list."),
        option("--stemmer", metavar="LANGUAGE", shell_complete=completion.stemmers, help="Words by their stems."),
        option("--min-length", type=IntRange(min=0), metavar="N", help="Characters of a word."),
        option("--keywords", metavar="WORD,…", hidden=True),
    ]
    return together(options)(command)


def analyzer_of(given: dict[str, Any]) -> Analyzer | None:
    """The analyzer that these options ask for; None where they ask for none."""
    chosen = {name: given[name] for name in NAMES if given.get(name) is not None}
    if given["analyzer"] is None and not chosen:
        return None
    from banbury.text.analyzer import Analyzer

    for name in RANGES:
        if name in chosen:
            chosen[name] = _pair(name, chosen[name])
    for name in LISTS:
        if name in chosen and chosen[name] != "english":
            chosen[name] = [word.strip() for word in chosen[name].split(",") if word.strip()]
    if chosen.get("words") == "none":
        chosen["words"] = None
    return Analyzer.preset(given["analyzer"] or "words").with_settings(**chosen)


def asks_for_texts(given: dict[str, Any]) -> bool:
    """Whether any of these options was given: then a model of texts is meant."""
    return given["analyzer"] is not None or any(given.get(name) is not None for name in NAMES)


def _pair(name: str, text: str) -> tuple[int, int]:
    try:
        low, high = map(int, text.split(","))
    except ValueError:
        raise BadParameter(f"{text!r} is not LOW,HIGH, such as 1,2", param_hint=f"--{name}") from None
    return low, high
