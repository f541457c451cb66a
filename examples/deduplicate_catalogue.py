"""Deduplicate a product catalogue: articles of three shops with one article number are one product.

An inverse-functional property says that a number belongs to one thing. The names of that thing become equal, its facts
are kept once, over one of the names, and what is said of one name holds for all.
"""

from __future__ import annotations

from pathlib import Path

from reasoner import Reasoner

DATA = Path(__file__).parent / "data"
SHOP = "http://shop.example/"
BEST_PRICES = """
PREFIX : <http://shop.example/>
SELECT ?product ?name (MIN(?price) AS ?best) (COUNT(DISTINCT ?shop) AS ?shops)
{ ?product :name ?name ; :price ?price ; :soldBy ?shop } GROUP BY ?product ?name ORDER BY ?name
"""


def main() -> None:
    """Merge the articles, list each product once with its best price, and undo a wrong number."""
    kb = Reasoner()
    kb.load_ontology(DATA / "shop.ttl")
    kb.load(DATA / "catalogue.ttl")
    print("one product, several articles:")
    for names in kb.classes():
        print("  " + " = ".join(name.strip("<>").removeprefix(SHOP) for name in names))

    # One row a product and not one a name: expand=False answers with representatives.
    print("best prices:")
    for row in kb.query(BEST_PRICES, expand=False):
        print(f"  {row.name}: {float(row.best):.2f} in the cheapest of {row.shops} shops")

    print("why b7 is a1:")
    same = (f"<{SHOP}b7>", "<http://www.w3.org/2002/07/owl#sameAs>", f"<{SHOP}a1>")
    print("\n".join(f"  {line}" for line in str(kb.explain(same)).splitlines()))

    delta = kb.remove((f"<{SHOP}c3>", f"<{SHOP}gtin>", '"4006381333931"'))
    gone = delta.counts
    print(f"c3 had a wrong number: {gone.classes_split} product split, {gone.inferred_removed} inferences gone")


if __name__ == "__main__":
    main()
