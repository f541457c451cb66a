"""Random choices: reproducible for ever, and within their bounds."""

from datasets.draw import Draw


def test_the_stream_of_a_key_never_changes():
    draw = Draw("pinned", 1)

    drawn = [draw.below(100), draw.between(5, 9), draw.distinct(50, 4), draw.distinct(4, 4), draw.choice("abcdef")]

    assert drawn == [90, 7, [19, 7, 9, 30], [1, 2, 3, 0], "f"]


def test_different_keys_give_different_streams():
    assert Draw("a", 1).distinct(1000, 20) != Draw("a", 2).distinct(1000, 20)


def test_between_reaches_both_ends_and_goes_no_further():
    draw = Draw("ends")

    assert {draw.between(3, 6) for _ in range(500)} == {3, 4, 5, 6}


def test_distinct_numbers_are_distinct_and_below_the_bound():
    draw = Draw("distinct")
    for bound, count in ((10, 0), (10, 3), (10, 6), (10, 10)):
        numbers = draw.distinct(bound, count)
        assert len(set(numbers)) == len(numbers) == count
        assert all(0 <= number < bound for number in numbers)


def test_shuffling_keeps_the_items_and_gives_every_order():
    draw = Draw("shuffle")

    orders = {tuple(draw.shuffled("abc")) for _ in range(200)}

    assert len(orders) == 6
    assert all(sorted(order) == ["a", "b", "c"] for order in orders)
