"""A file of orders as a German spreadsheet writes it: the lines of docs/first-hour.md, and as many more as are wanted.

The later lines have the forms of the page's lines: numbers with points between thousands and a decimal comma, dates with the day
first, `ja` or `nein`, postal codes with leading zeros, quoted cells, empty cells.
"""
import csv
import random
from datetime import date, timedelta

FIRST_DAY = date(2025, 1, 2)
DAY_COUNT = 360
PLACES = (("Köln", "50667"), ("Jena", "07743"), ("Ulm", "89073"), ("Aachen", "52062"), ("Dresden", "01067"))
NAMES = ("Anna Müller", "Jörg Weiß", "Ute Groß", "Max O'Hara", "Zoë Lange")
ARTICLES = ('Regal "Nord"; Eiche', "Leuchte", "Tisch, rund", "Stuhl", "Teppich 2 × 3 m")


def amount(cents):
    """Cents as `1.249,90`."""
    return f"{cents / 100:,.2f}".translate(str.maketrans(",.", ".,"))


def day(value):
    return value.strftime("%d.%m.%Y")


def row(number, chance):
    """The cells of a line."""
    ordered = FIRST_DAY + timedelta(days=number * DAY_COUNT // 100_000)
    place, code = chance.choice(PLACES)
    count, price, tax = chance.randint(1, 40), chance.randint(99, 250_000), chance.choice((7, 19))
    net = count * price
    return [
        str(number), day(ordered),
        day(ordered + timedelta(days=chance.randint(1, 9))) if chance.random() < 0.8 else "",
        f"K-{chance.randint(10000, 19999)}", chance.choice(NAMES), place, code, f"A-{chance.randint(1, 2999):04}",
        chance.choice(ARTICLES), str(count), amount(price), f"0,{chance.randint(0, 30):02}", amount(net), str(tax),
        amount(net * (100 + tax) // 100), f"{chance.randint(1, 900) / 10:.1f}".replace(".", ","),
        chance.choice(("ja", "nein")), chance.choice(("ja", "nein", "nein")), chance.choice(("West", "Ost", "Süd")),
        "bitte klingeln" if chance.random() < 0.1 else ""]


def write(path, beginning, count, seed=1):
    """Writes a file with `count` lines behind its header: the lines of `beginning`, and others.

    Returns how many of them have been ordered since June and are not paid.
    """
    lines = beginning.splitlines()
    chance = random.Random(seed)
    rows = [next(csv.reader([line], delimiter=";")) for line in lines[1:]]
    rows += [row(number, chance) for number in range(len(rows) + 1, count + 1)]
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write("\r\n".join(lines) + "\r\n")
        writer = csv.writer(file, delimiter=";", lineterminator="\r\n")
        writer.writerows(rows[len(lines) - 1:])
    months = (int(cells[1][3:5]) for cells in rows if cells[16] == "nein")
    return sum(month >= 6 for month in months)
