"""Queries of many domains, as people type them, with their search terms and constraints."""

import pytest

from pyterrier_quantity import Constraint, parse_query
from pyterrier_quantity.quantity import OPERATORS


def expected(constraints: str) -> list[Constraint]:
    """ "> 5 metre; range 2..3 hour" as constraints."""
    result = []
    for part in filter(None, constraints.split("; ")):
        op, value, unit = part.split(" ", 2)
        low, _, high = value.partition("..")
        result.append(Constraint(op, float(low), float(high or low), unit))
    return result


# query | search terms | constraints
QUERIES = """
Audi A4 with more than 150 hp | Audi A4 | > 150 horsepower
car 0-100 km/h in less than 4 seconds | car | range 0..100 kilometre per hour; < 4 second
car costing 20 to 30 thousand euros | car | range 20000..30000 euro
truck with a payload of at least 3.5 tonnes | truck with a payload | >= 3.5 metric ton
car isn't more than 20000 euros | car | <= 20000 euro
iPhone below €200 | iPhone | < 200 euro
Samsung Galaxy S22 with 256 GB | Samsung Galaxy S22 | = 256 gigabyte
PlayStation 4 Pro 1TB | PlayStation 4 Pro | = 1 terabyte
Levi's 501 under $60 | Levi's 501 | < 60 dollar
MacBook Pro 16 inch less than 2500 USD | MacBook Pro | = 16 inch; < 2500 dollar
laptop with at least 16 GB under $1000 | laptop | >= 16 gigabyte; < 1000 dollar
laptop 13 to 15 inches under 1500 dollars | laptop | range 13..15 inch; < 1500 dollar
laptop $500-$1000 | laptop | range 500..1000 dollar
SSD at least 1 TB below 100 euros | SSD | >= 1 terabyte; < 100 euro
phones 6.1" or larger | phones | >= 6.1 inch
€ 200 phone | phone | = 200 euro
monitor 27" 144 Hz | monitor | = 27 inch; = 144 hertz
mp3 player under 50 dollars | mp3 player | < 50 dollar
4K TV below 1000 dollars | 4K TV | < 1000 dollar
drive 7200 rpm | drive | = 7200 revolution per minute
heater 1500 to 2000 watts | heater | range 1500..2000 watt
tent for 4 people | tent | = 4 people
tickets £20 or less | tickets | <= 20 pound sterling
hotel 4 stars under 200 euros | hotel | = 4 star; < 200 euro
hotels under 100 | hotels | < 100 -
price:200 dollars | price | = 200 dollar
apartment for 1200 euros | apartment | = 1200 euro
villa between 1 and 2 million euros | villa | range 1000000..2000000 euro
$1.5m-$2m apartment | apartment | range 1500000..2000000 dollar
1 million dollar homes | homes | = 1000000 dollar
dividend of 50 cents per share | dividend | = 50 cent per share
GDP growth of 3 percent | GDP growth | = 3 percentage
interest rate other than 5 percent | interest rate | != 5 percentage
bond yields between 2 and 3 percent | bond yields | range 2..3 percentage
U.S. 10-year Treasury yield above 4% | U.S. Treasury yield | = 10 year; > 4 percentage
stocks down at least 10% | stocks | >= 10 percentage
market cap greater than 1 trillion dollars | market cap | > 1000000000000 dollar
loss of about 20 million euros | loss | ~ 20000000 euro
salary from 50k to 70k dollars | salary | range 50000..70000 dollar
companies with 1,000 to 5,000 employees | companies | range 1000..5000 employee
startup half a million dollars | startup | = 500000 dollar
5 or 10 percent discount | discount | = 5 percentage; = 10 percentage
batteries not 9 V | batteries | != 9 volt
work week not 35 hours | work week | != 35 hour
marathon without 42 km | marathon | != 42 kilometre
100m sprint faster than 10 s | sprint | = 100 metre; < 10 second
javelin throw over 90 m | javelin throw | > 90 metre
more than 3 but fewer than 8 goals | goals | > 3 goal; < 8 goal
goalkeeper younger than 20 years | goalkeeper | < 20 year
teams with fewer than 10 players | teams | < 10 player
top 5 universities with fewer than 10,000 students | top 5 universities | < 10000 student
top 20 countries with population over 50 million | top 20 countries with population | > 50000000 -
juice without more than 10 g sugar | juice sugar | <= 10 gram
wine with 12.5% alcohol | wine alcohol | = 12.5 percentage
protein at least 20 g per 100 g | protein | >= 20 gram per 100 gram
Omega-3 1000 mg | Omega-3 | = 1000 milligram
vitamin D more than 1000 IU | vitamin D | > 1000 international unit
temperature under minus 5 degrees | temperature | < -5 degree
wind speed > 100 km/h | wind speed | > 100 kilometre per hour
around 50 mph wind | wind | ~ 50 mile per hour
earthquake magnitude above 6 | earthquake magnitude | > 6 -
hemoglobin at least 9 g/dL | hemoglobin | >= 9 gram per decilitre
phase 3 trials with more than 1000 patients | phase 3 trials | > 1000 patient
phase III trials with 200 participants | phase III trials | = 200 participant
vaccine efficacy of at least ninety percent | vaccine efficacy | >= 90 percentage
HIV-1 positive more than 500 cells | HIV-1 positive | > 500 cell
heart rate less than 60 bpm | heart rate | < 60 beat per minute
aspirin 81mg daily | aspirin | = 81 milligram per day
platelets below 100,000 | platelets | < 100000 -
metformin from 500 to 1000 mg | metformin | range 500..1000 milligram
children under 5 years | children | < 5 year
dog at least 5 and at most 10 kg | dog | range 5..10 kilogram
skyscraper taller than 300 metres | skyscraper | > 300 metre
mountains higher than 8000 m | mountains | > 8000 metre
countries with fewer than 1 million people | countries | < 1000000 people
altitude above sea level 3,000 m | altitude above sea level | = 3000 metre
Airbus A380 with over 500 seats | Airbus A380 | > 500 seat
train faster than 300 kilometres per hour | train | > 300 kilometre per hour
max 20 euros | euros | <= 20 euro
"""

# Written after the parser, and read as they are.
QUERIES += """
laptop with 16 GB at most 1000 dollars | laptop | = 16 gigabyte; <= 1000 dollar
Porsche 911 under 100,000 euros | Porsche 911 | < 100000 euro
patients older than 65 | patients | > 65 year of age
men aged over 50 with BMI above 30 | men with BMI | > 50 year of age; > 30 -
older people earning more than 2000 | older people earning | > 2000 -
prices starting at 20 dollars | prices | >= 20 dollar
cars costing less than $20,000 and more than 200 horsepower | cars | < 20000 dollar; > 200 horsepower
cars with less than 5 litres per 100 km | cars | < 5 litre per 100 kilometre
hybrid car 5 seats under 25000 € | hybrid car | = 5 seat; < 25000 euro
drone with range of more than 5 kilometers | drone with range | > 5 kilometre
washing machine 8kg 1400 rpm | washing machine | = 8 kilogram; = 1400 revolution per minute
vacuum cleaner quieter than 70 dB | vacuum cleaner | < 70 decibel
funds with returns of over 10% per year | funds with returns | > 10 percentage per year
copper price less than 9,000 dlrs a tonne | copper price | < 9000 dollar per metric ton
NBA players with over 30 points per game | NBA players | > 30 point per game
football transfer over £50m | football transfer | > 50000000 pound sterling
women older than 40 years with LDL above 130 mg/dL | women with LDL | > 40 year of age; > 130 milligram per decilitre
tumor larger than 5 cm and no metastasis | tumor and no metastasis | > 5 centimetre
viral load < 50 copies/mL | viral load | < 50 copy per millilitre
electricity price over 0.30 €/kWh | electricity price | > 0.3 euro per kilowatt hour
Xbox Series X for no more than $450 | Xbox Series X | <= 450 dollar
"""

NO_QUANTITY = """
iPhone price
top 10 laptops
COVID-19 vaccine
Windows 11 drivers
iphone 11 cases
World War 2 casualties
Xbox 360 games
Route 66 motels
Catch-22 book
F-16 top speed
S&P 500 index
Section 8 housing
Apollo 11 mission
iPhone 13 Pro Max
Super Bowl 50
12 Angry Men
Seven Samurai
Two and a Half Men
Channel 4
Beverly Hills 90210
Euro 2020 final
first 100 days
24/7 pharmacy
Article 50
U2 albums
"""


def rows():
    return [[cell.strip() for cell in line.split(" | ")] for line in QUERIES.splitlines() if line]


@pytest.mark.parametrize(("query", "terms", "constraints"), rows())
def test_queries_of_many_domains(query, terms, constraints):
    assert parse_query(query) == (terms, expected(constraints))


def test_the_list_is_long_and_varied():
    found = [c for _, _, constraints in rows() for c in expected(constraints)]
    assert len(rows()) >= 100
    assert {c.op for c in found} == set(OPERATORS)
    assert len({c.unit for c in found}) >= 40


@pytest.mark.parametrize("query", [*NO_QUANTITY.strip().splitlines(), "", " ", "\n\t", "-", "$", "≥", "<", "%"])
def test_queries_without_a_quantity_stay_as_they_are(query):
    assert parse_query(query) == (query, [])
