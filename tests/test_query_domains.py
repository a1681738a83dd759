"""Queries of many domains, as people type them, with their search terms and constraints."""

from __future__ import annotations

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
BMW above 530hp | BMW | > 530 horsepower
Audi A4 with more than 150 hp | Audi A4 | > 150 horsepower
electric car range over 500 km | electric car range | > 500 kilometre
car 0-100 km/h in less than 4 seconds | car | range 0..100 kilometre per hour; < 4 second
fuel consumption below 5 l/100km | fuel consumption | < 5 litre per 100 kilometre
engine 2.0 litre | engine | = 2 litre
motorcycle lighter than 180 kg | motorcycle | < 180 kilogram
car costing 20 to 30 thousand euros | car | range 20000..30000 euro
used car under $5k | used car | < 5000 dollar
truck with a payload of at least 3.5 tonnes | truck with a payload | >= 3.5 metric ton
SUV with 7 seats | SUV | = 7 seat
Formula 1 cars over 300 km/h | Formula 1 cars | > 300 kilometre per hour
car isn't more than 20000 euros | car | <= 20000 euro
iPhone below €200 | iPhone | < 200 euro
iPhone exactly 999 dollars | iPhone | = 999 dollar
iPhone 11 below 500 euros | iPhone 11 | < 500 euro
Galaxy S21 cheaper than $600 | Galaxy S21 | < 600 dollar
Samsung Galaxy S22 with 256 GB | Samsung Galaxy S22 | = 256 gigabyte
PlayStation 5 under 400 dollars | PlayStation 5 | < 400 dollar
PlayStation 4 Pro 1TB | PlayStation 4 Pro | = 1 terabyte
RTX 3080 under 700 dollars | RTX 3080 | < 700 dollar
Levi's 501 under $60 | Levi's 501 | < 60 dollar
Nike Air Max 90 less than 120 dollars | Nike Air Max 90 | < 120 dollar
MacBook Pro 16 inch less than 2500 USD | MacBook Pro | = 16 inch; < 2500 dollar
Windows 11 laptop with at least 8 GB RAM | Windows 11 laptop RAM | >= 8 gigabyte
laptop with at least 16 GB under $1000 | laptop | >= 16 gigabyte; < 1000 dollar
laptop 13 to 15 inches under 1500 dollars | laptop | range 13..15 inch; < 1500 dollar
laptop $500-$1000 | laptop | range 500..1000 dollar
SSD at least 1 TB below 100 euros | SSD | >= 1 terabyte; < 100 euro
smartphone with 128GB storage | smartphone storage | = 128 gigabyte
phone camera more than 48 megapixels | phone camera | > 48 megapixel
phones 6.1" or larger | phones | >= 6.1 inch
phone 200 € | phone | = 200 euro
€ 200 phone | phone | = 200 euro
phones that do not exceed 300 dollars | phones | <= 300 dollar
battery no less than 5000 mAh | battery | >= 5000 milliampere-hour
storage up to 256 GB | storage | <= 256 gigabyte
monitor 27" 144 Hz | monitor | = 27 inch; = 144 hertz
TV 55 inch | TV | = 55 inch
mp3 player under 50 dollars | mp3 player | < 50 dollar
4K TV below 1000 dollars | 4K TV | < 1000 dollar
3D printer less than $200 | 3D printer | < 200 dollar
CPU 3.5 GHz | CPU | = 3.5 gigahertz
drive 7200 rpm | drive | = 7200 revolution per minute
drill of 18 volts | drill | = 18 volt
heater 1500 to 2000 watts | heater | range 1500..2000 watt
batteries not 9 V | batteries | != 9 volt
tent for 4 people | tent | = 4 people
shoes cheaper than 80 CHF | shoes | < 80 swiss franc
tickets £20 or less | tickets | <= 20 pound sterling
cheap flights < 100 GBP | cheap flights | < 100 pound sterling
hotel no more than $150 per night | hotel | <= 150 dollar per night
hotel 4 stars under 200 euros | hotel | = 4 star; < 200 euro
hotels under 100 | hotels | < 100 -
toys between $10 and $20 | toys | range 10..20 dollar
price:200 dollars | price | = 200 dollar
house with 3 bedrooms | house | = 3 bedroom
flat with two bedrooms | flat | = 2 bedroom
apartments bigger than 80 m2 | apartments | > 80 square metre
apartment for 1200 euros | apartment | = 1200 euro
land larger than 2 acres | land | > 2 acre
villa between 1 and 2 million euros | villa | range 1000000..2000000 euro
plot from 500 to 800 sqm | plot | range 500..800 square metre
rent <= 1500 EUR | rent | <= 1500 euro
$1.5m-$2m apartment | apartment | range 1500000..2000000 dollar
1 million dollar homes | homes | = 1000000 dollar
oil price 15 to 18 dollars a barrel | oil price | range 15..18 dollar per barrel
oil at $70/bbl | oil | = 70 dollar per barrel
gold above 1,900 dollars an ounce | gold | > 1900 dollar per ounce
dividend of 50 cents per share | dividend | = 50 cent per share
unemployment rate below 4% | unemployment rate | < 4 percentage
GDP growth of 3 percent | GDP growth | = 3 percentage
GDP per capita above $40,000 | GDP per capita | > 40000 dollar
debt to GDP ratio over 90 percent | debt to GDP ratio | > 90 percentage
interest rate other than 5 percent | interest rate | != 5 percentage
bond yields between 2 and 3 percent | bond yields | range 2..3 percentage
U.S. 10-year Treasury yield above 4% | U.S. Treasury yield | = 10 year; > 4 percentage
shares up more than 5% | shares | > 5 percentage
stock fell more than 10 pct | stock | > 10 percentage
stocks down at least 10% | stocks | >= 10 percentage
startups raising over $10 million | startups raising | > 10000000 dollar
market cap greater than 1 trillion dollars | market cap | > 1000000000000 dollar
loan of at least €5k | loan | >= 5000 euro
loans less than or equal to 5000 dollars | loans | <= 5000 dollar
loss of about 20 million euros | loss | ~ 20000000 euro
salary from 50k to 70k dollars | salary | range 50000..70000 dollar
wage above 15 dollars per hour | wage | > 15 dollar per hour
profits exceed 2 million dollars | profits | > 2000000 dollar
revenue exceeding $3.5bn | revenue | > 3500000000 dollar
companies with 1,000 to 5,000 employees | companies | range 1000..5000 employee
Dow 30 companies revenue above $100 billion | Dow 30 companies revenue | > 100000000000 dollar
startup half a million dollars | startup | = 500000 dollar
5 or 10 percent discount | discount | = 5 percentage; = 10 percentage
work week not 35 hours | work week | != 35 hour
marathon without 42 km | marathon | != 42 kilometre
100m sprint faster than 10 s | sprint | = 100 metre; < 10 second
swimmers slower than 60 seconds | swimmers | > 60 second
javelin throw over 90 m | javelin throw | > 90 metre
players taller than 2 metres | players | > 2 metre
boxers heavier than 90 kg | boxers | > 90 kilogram
striker with more than 30 goals | striker | > 30 goal
more than 3 but fewer than 8 goals | goals | > 3 goal; < 8 goal
match attendance over 80,000 spectators | match attendance | > 80000 spectator
goalkeeper younger than 20 years | goalkeeper | < 20 year
transfer fee > €100m | transfer fee | > 100000000 euro
teams with fewer than 10 players | teams | < 10 player
World Cup 2018 attendance over 60,000 | World Cup 2018 attendance | > 60000 -
top 5 universities with fewer than 10,000 students | top 5 universities | < 10000 student
top 20 countries with population over 50 million | top 20 countries with population | > 50000000 -
best 3 phones below 400 euros | best 3 phones | < 400 euro
yogurt with less than 5 g sugar | yogurt sugar | < 5 gram
juice without more than 10 g sugar | juice sugar | <= 10 gram
snack under 200 kcal | snack | < 200 kilocalorie
wine with 12.5% alcohol | wine alcohol | = 12.5 percentage
wine older than 20 years | wine | > 20 year
salt not more than 6 g | salt | <= 6 gram
sodium ≤ 1500 mg | sodium | <= 1500 milligram
protein at least 20 g per 100 g | protein | >= 20 gram per 100 gram
Vitamin C 500 mg | Vitamin C | = 500 milligram
Omega-3 1000 mg | Omega-3 | = 1000 milligram
vitamin B12 at least 2.4 micrograms | vitamin B12 | >= 2.4 microgram
vitamin D more than 1000 IU | vitamin D | > 1000 international unit
temperatures below -10 °C | temperatures | < -10 celsius
temperature under minus 5 degrees | temperature | < -5 degree
humidity = 80% | humidity | = 80 percentage
rainfall more than 20 mm | rainfall | > 20 millimetre
snow deeper than 1 metre | snow | > 1 metre
wind speed > 100 km/h | wind speed | > 100 kilometre per hour
around 50 mph wind | wind | ~ 50 mile per hour
oven at 180 C | oven | = 180 celsius
fever over 102 F | fever | > 102 fahrenheit
earthquake magnitude above 6 | earthquake magnitude | > 6 -
CO2 emissions over 2 million tons | CO2 emissions | > 2000000 ton
hemoglobin at least 9 g/dL | hemoglobin | >= 9 gram per decilitre
HbA1c ≥ 7% | HbA1c | >= 7 percentage
type 2 diabetes HbA1c over 8% | type 2 diabetes HbA1c | > 8 percentage
type 1 diabetes under 18 years | type 1 diabetes | < 18 year
phase 3 trials with more than 1000 patients | phase 3 trials | > 1000 patient
phase III trials with 200 participants | phase III trials | = 200 participant
stage 4 cancer survival over 5 years | stage 4 cancer survival | > 5 year
COVID-19 vaccine efficacy above 90% | COVID-19 vaccine efficacy | > 90 percentage
vaccine efficacy of at least ninety percent | vaccine efficacy | >= 90 percentage
HIV-1 positive more than 500 cells | HIV-1 positive | > 500 cell
blood pressure <= 140 mmHg | blood pressure | <= 140 millimetre of mercury
systolic pressure of 120 mmHg | systolic pressure | = 120 millimetre of mercury
heart rate less than 60 bpm | heart rate | < 60 beat per minute
ibuprofen 400 mg | ibuprofen | = 400 milligram
aspirin 81mg daily | aspirin | = 81 milligram
paracetamol more than 4 g per day | paracetamol | > 4 gram per day
creatinine > 1.5 mg/dL | creatinine | > 1.5 milligram per decilitre
white blood cells > 11,000 per microliter | white blood cells | > 11000 per microlitre
platelets below 100,000 | platelets | < 100000 -
glucose between 70 and 100 mg/dl | glucose | range 70..100 milligram per decilitre
metformin from 500 to 1000 mg | metformin | range 500..1000 milligram
BMI between 18.5 and 24.9 | BMI | range 18.5..24.9 -
BMI < 25 | BMI | < 25 -
ages between 18 and 65 years | ages | range 18..65 year of age
children under 5 years | children | < 5 year
people over 65 | people | > 65 year of age
dog at least 5 and at most 10 kg | dog | range 5..10 kilogram
mass ≥ 5 kg and ≤ 10 kg | mass | range 5..10 kilogram
weight<80kg | weight | < 80 kilogram
speed>=100km/h | speed | >= 100 kilometre per hour
skyscraper taller than 300 metres | skyscraper | > 300 metre
bridge longer than 2 km | bridge | > 2 kilometre
mountains higher than 8000 m | mountains | > 8000 metre
lakes deeper than 500 ft | lakes | > 500 foot
rivers longer than 1,000 miles | rivers | > 1000 mile
cities with more than 10 million inhabitants | cities | > 10000000 inhabitant
countries with fewer than 1 million people | countries | < 1000000 people
population of 5 million | population | = 5000000 -
altitude above sea level 3,000 m | altitude above sea level | = 3000 metre
Boeing 747 faster than 900 km/h | Boeing 747 | > 900 kilometre per hour
Airbus A380 with over 500 seats | Airbus A380 | > 500 seat
Ford F-150 towing more than 10,000 lbs | Ford F-150 towing | > 10000 pound-mass
train faster than 300 kilometres per hour | train | > 300 kilometre per hour
melting point of 1085 °C | melting point | = 1085 celsius
frequency between 88 and 108 MHz | frequency | range 88..108 megahertz
gravity of 9.81 m/s2 | gravity | = 9.81 metre per square second
max 20 euros | euros | <= 20 euro
€100+ | €100+ | >= 100 euro
"""

# Written after the parser, and read as they are.
QUERIES += """
laptop with 16 GB at most 1000 dollars | laptop | = 16 gigabyte; <= 1000 dollar
omega 3 supplements at least 1 g | omega 3 supplements | >= 1 gram
Porsche 911 under 100,000 euros | Porsche 911 | < 100000 euro
children under 5 years of age | children | < 5 year of age
flats with 2 to 3 rooms | flats | range 2..3 room
patients aged between 18 and 65 | patients | range 18..65 year of age
patients older than 65 | patients | > 65 year of age
men aged over 50 with BMI above 30 | men with BMI | > 50 year of age; > 30 -
people aged 65 or older | people | >= 65 year of age
players aged 23 | players | = 23 year of age
older people earning more than 2000 | older people earning | > 2000 -
cars older than 10 years | cars | > 10 year
rents from 500 euros | rents | >= 500 euro
rents from 500 euros to 700 euros | rents | range 500..700 euro
prices starting at 20 dollars | prices | >= 20 dollar
flights starting from 99 euros | flights | >= 99 euro
price between 20 dollars and 30 dollars | price | range 20..30 dollar
cars costing less than $20,000 and more than 200 horsepower | cars | < 20000 dollar; > 200 horsepower
cars with less than 5 litres per 100 km | cars | < 5 litre per 100 kilometre
hybrid car 5 seats under 25000 € | hybrid car | = 5 seat; < 25000 euro
beer with alcohol content higher than 6.5 % | beer with alcohol content | > 6.5 percentage
cheese with at most 20% fat | cheese fat | <= 20 percentage
drone with range of more than 5 kilometers | drone with range | > 5 kilometre
camera with 24 megapixels or more | camera | >= 24 megapixel
TV bigger than 65" | TV | > 65 inch
washing machine 8kg 1400 rpm | washing machine | = 8 kilogram; = 1400 revolution per minute
vacuum cleaner quieter than 70 dB | vacuum cleaner | < 70 decibel
router speed of at least 1 Gbps | router speed | >= 1 gigabit per second
usb cable longer than 2m | usb cable | > 2 metre
stocks with P/E ratio below 15 | stocks with P/E ratio | < 15 -
funds with returns of over 10% per year | funds with returns | > 10 percentage per year
company valued at over one billion dollars | company valued | > 1000000000 dollar
layoffs of more than 10,000 workers | layoffs | > 10000 worker
oil production over 2 mln barrels a day | oil production | > 2000000 barrel per day
copper price less than 9,000 dlrs a tonne | copper price | < 9000 dollar per metric ton
river flow under 50 m3/s | river flow | < 50 cubic metre per second
islands smaller than 10 km² | islands | < 10 square kilometre
tunnels longer than ten kilometres | tunnels | > 10 kilometre
NBA players with over 30 points per game | NBA players | > 30 point per game
tennis serve faster than 220 km/h | tennis serve | > 220 kilometre per hour
football transfer over £50m | football transfer | > 50000000 pound sterling
stadium with at least 60 000 seats | stadium | >= 60000 seat
women older than 40 years with LDL above 130 mg/dL | women with LDL | > 40 year of age; > 130 milligram per decilitre
serum potassium < 3.5 mmol/L | serum potassium | < 3.5 millimole per litre
platelet count less than 50,000/µL | platelet count | < 50000 per microlitre
creatinine clearance below 30 mL/min | creatinine clearance | < 30 millilitre per minute
tumor larger than 5 cm and no metastasis | tumor and no metastasis | > 5 centimetre
vaccination within 14 days | vaccination | <= 14 day
body temperature 38.5 °C or higher | body temperature | >= 38.5 celsius
newborn weight under 2500 g | newborn weight | < 2500 gram
viral load < 50 copies/mL | viral load | < 50 copy per millilitre
CD4 count under 200 cells/mm3 | CD4 count | < 200 cell per cubic millimetre
salary not less than 3000 euros a month | salary | >= 3000 euro per month
electricity price over 0.30 €/kWh | electricity price | > 0.3 euro per kilowatt hour
wine for under 10 bucks | wine | < 10 dollar
jobs paying 20 dollars an hour | jobs paying | = 20 dollar per hour
Xbox Series X for no more than $450 | Xbox Series X | <= 450 dollar
Dell XPS 13 with 32GB RAM | Dell XPS 13 RAM | = 32 gigabyte
GoPro Hero 9 below $300 | GoPro Hero 9 | < 300 dollar
"""

NO_QUANTITY = """
iPhone price
Boeing 747 range
top 10 laptops
best 5 phones
COVID-19 vaccine
covid 19 vaccine
Windows 11 drivers
windows 11 drivers
iphone 11 cases
world cup 2022
World War 2 casualties
Fortune 500 companies
Xbox 360 games
ps5 games
Route 66 motels
Area 51
Catch-22 book
B-52 bomber range
F-16 top speed
G20 summit
S&P 500 index
Nikkei 225 close
Section 8 housing
Chapter 11 bankruptcy
Apollo 11 mission
1984 novel
iPhone 13 Pro Max
Ryzen 5 5600X
Super Bowl 50
7 Wonders of the World
12 Angry Men
101 Dalmatians
Seven Samurai
Fantastic Four
Two and a Half Men
Studio 54
Channel 4
Blink-182
Beverly Hills 90210
Windows 10 vs Windows 11
Euro 2020 final
last 7 days
first 100 days
911 call
24/7 pharmacy
Chanel No. 5
Article 50
SARS-CoV-2 viral load
U2 albums
how far is the moon
"""


def rows():
    return [[cell.strip() for cell in line.split(" | ")] for line in QUERIES.splitlines() if line]


@pytest.mark.parametrize(("query", "terms", "constraints"), rows())
def test_queries_of_many_domains(query, terms, constraints):
    assert parse_query(query) == (terms, expected(constraints))


def test_the_list_is_long_and_varied():
    found = [c for _, _, constraints in rows() for c in expected(constraints)]
    assert len(rows()) >= 200
    assert {c.op for c in found} == set(OPERATORS)
    assert len({c.unit for c in found}) >= 50


@pytest.mark.parametrize("query", NO_QUANTITY.strip().splitlines())
def test_queries_without_a_quantity_stay_as_they_are(query):
    assert parse_query(query) == (query, [])
