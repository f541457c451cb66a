"""Draw the pictures of the documentation: ``python -m docs.generate.pictures``."""

from __future__ import annotations

from pathlib import Path

from docs.generate.drawing import BLUE, GREEN, GREY, PURPLE, RED, Drawing

FOLDER = Path(__file__).resolve().parents[1] / "images"


def overview() -> str:
    """What goes in, what is kept, what comes out."""
    drawing = Drawing(
        880, 330, "Data, ontology and rules go in; the closure is kept; answers, proofs and changes come out"
    )
    for y, text in (
        (50, "data\nRDF, any syntax"),
        (130, "ontology\nOWL 2 RL, DLP, RDFS"),
        (210, "rules\ndatalog, of your own"),
    ):
        drawing.box(110, y, text, BLUE, width=190)
        drawing.arrow((207, y), (333, 130 + (y - 130) * 0.45))
    drawing.box(
        440,
        130,
        "what holds\nfacts over one name a thing\n+ classes of equal names\nin memory, on disk, Spark",
        GREEN,
        width=210,
    )
    outputs = (
        (50, "answers\nSPARQL, rdflib, HTTP"),
        (130, "proofs\nof every triple"),
        (210, "the closure\nfiles, stores, Arrow"),
    )
    for y, text in outputs:
        drawing.arrow((547, 130 + (y - 130) * 0.45), (671, y))
        drawing.box(770, y, text, PURPLE, width=190)
    drawing.box(290, 290, "changes\nfacts, axioms and rules in and out", RED, width=270)
    drawing.box(600, 290, "deltas\nwhat came and what went, and why", RED, width=270)
    drawing.arrow((360, 263), (408, 185))
    drawing.arrow((472, 185), (560, 263))
    return drawing.svg()


def equality() -> str:
    """The same facts with the axioms of equality and over representatives."""
    drawing = Drawing(880, 330, "Three equal names: nine equalities and three facts, or one fact and one class")
    drawing.word(215, 24, "with the axioms of equality", size=16, strong=True)
    names = (("ann", 70), ("a.smith", 150), ("p17", 230))
    for name, y in names:
        drawing.box(90, y, name, BLUE, width=110)
        drawing.arrow((147, y), (301, 150 + (y - 150) * 0.2))
    drawing.arrow((90, 90), (90, 131), both=True)
    drawing.arrow((90, 170), (90, 211), both=True)
    drawing.arrow((33, 70), (14, 110), (14, 190), (33, 230), both=True)
    drawing.box(360, 150, "acme", GREY, width=110)
    drawing.word(225, 70, "worksFor")
    drawing.word(215, 292, "3 facts and 9 equalities;\nwith 50 names 50 and 2,500", size=14)
    drawing.line((440, 20), (440, 310))
    drawing.word(665, 24, "by rewriting", size=16, strong=True)
    drawing.box(560, 150, "ann", BLUE, width=110)
    drawing.arrow((617, 150), (751, 150))
    drawing.word(684, 140, "worksFor")
    drawing.box(810, 150, "acme", GREY, width=110)
    drawing.box(560, 226, "ann\na.smith\np17", BLUE, width=110, faded=True)
    drawing.word(690, 222, "the class that it\nstands for")
    drawing.word(665, 292, "1 fact and 1 class of 3;\nwith 50 names 1 fact and 1 class of 50", size=14)
    return drawing.svg()


def materialisation() -> str:
    """Rounds of a semi-naive evaluation."""
    drawing = Drawing(880, 250, "Each round joins what is new with what is there, until nothing is new")
    rounds = (
        (110, "explicit", "ann parentOf bob\nbob parentOf cid\ncid parentOf dan", BLUE),
        (330, "round 1", "ann ancestorOf bob\nbob ancestorOf cid\ncid ancestorOf dan", GREEN),
        (550, "round 2", "ann ancestorOf cid\nbob ancestorOf dan", GREEN),
        (770, "round 3", "ann ancestorOf dan", GREEN),
    )
    for x, title, facts, colour in rounds:
        drawing.word(x, 28, title, size=15, strong=True)
        drawing.box(x, 90, "new:\n" + facts, colour, width=180)
    for x in (202, 422, 642):
        drawing.arrow((x, 90), (x + 36, 90))
    drawing.word(440, 180, "[1] ?x ancestorOf ?y :- ?x parentOf ?y .")
    drawing.word(440, 202, "[2] ?x ancestorOf ?z :- ?x parentOf ?y, ?y ancestorOf ?z .")
    drawing.word(440, 234, "a later round starts from what is new only, so that no instance of a rule is met twice")
    return drawing.svg()


def maintenance() -> str:
    """What two ways of deleting do to the same facts."""
    drawing = Drawing(
        880, 340, "Delete and rederive touches everything below; backward/forward stops at a fact with another proof"
    )
    for left, title, faded, words in (
        (0, "delete and rederive (DRed)", True, "deletes four facts, then derives\nthree of them again"),
        (
            440,
            "backward/forward (B/F)",
            False,
            "finds the other proof of the second fact first,\ndeletes one fact and stops",
        ),
    ):
        drawing.word(left + 215, 24, title, size=16, strong=True)
        drawing.box(left + 110, 70, "ann teaches math", RED, width=170, faded=True)
        drawing.box(left + 325, 70, "ann teaches logic", BLUE, width=170)
        for y, text in ((140, "ann a Teacher"), (200, "ann a Employee"), (260, "ann a Person")):
            drawing.box(left + 215, y, text, GREEN, width=170, faded=faded)
        drawing.arrow((left + 140, 89), (left + 180, 121), dashed=True)
        drawing.arrow((left + 295, 89), (left + 250, 121))
        drawing.arrow((left + 215, 159), (left + 215, 181))
        drawing.arrow((left + 215, 219), (left + 215, 241))
        drawing.word(left + 215, 304, words)
    drawing.line((440, 20), (440, 325))
    return drawing.svg()


PICTURES = {
    "overview.svg": overview,
    "equality.svg": equality,
    "materialisation.svg": materialisation,
    "maintenance.svg": maintenance,
}


if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (FOLDER / name).write_text(draw(), encoding="utf-8")
