"""Which rule decides which doubtful spelling; keys are spellings as the vocabulary keys them."""

from __future__ import annotations

from pyterrier_quantity.units.ambiguity import everyday, lengths, letters, money, times
from pyterrier_quantity.units.ambiguity.letters import ELECTRIC
from pyterrier_quantity.units.ambiguity.money import CODE_WORDS
from pyterrier_quantity.units.ambiguity.site import Rule, either, near, plain

_BYTES = r"byte|memory|\bfile|disk|\bRAM|download|storage|\bPDF|\bMB\b|\bGB\b|cache"
_GENES = (
    r"\bgene|\bDNA|deletion|genom|chromosom|sequence|nucleotide|primer|amplicon|fragment|intron|exon|locus|duplicat"
    r"|kilobase|megabase|\bregion\b|segment"
)
_SMALL = (
    r"rain|snow|lens|camera|pistol|\bguns?\b|calib|cartridge|\bfilm|diameter|thick|\bwide|\blong\b|drill|wrench|bolt|screw"
    r"|\bpipe|\bdepth|\bdeep|mortar|bullet|tumou?r|lesion|incision|width|height|length"
)
_CLIMB = r"elevation|altitude|summit|\bclimb|ascent|\bhik|\btrail|sea level"
_COOKING = r"cream|milk|stock|beer|\bale\b|water|broth|blood|ice cream|recipe|\bml\b|cup|tbsp|tsp|pint"
_RADIATION = r"radi|dose|dosage|fraction|tumou?r|beam|boost|brachy"
_WOOD = r"wood|timber|lumber|pulp"
_MOLE = r"\bper\b|molar|solution|reaction|chemi|acid"
_TREND = r"rose|fell|up|down|increase|decrease|inflation|rate|growth"
_SCREEN = r"display|screen|pixel|print|resolution"
_SPIN = r"rpm|minute|spin|rotat|turn|wheel|engine|orbit"
_DROPS = r"\beyes?\b|\bears?\b|oral|\boil|solution|dropper|\bnos|nasal|liquid|\bper\b|tincture|instil"
_SPEED = r"speed|wind|gust|sound|knot|aircraft|\bsail|storm|hurricane"
_WEIGHED = r"weigh|\blost\b|overweight|(?<![a-z])lbs?\b"
_JEWEL = r"diamond|jewel|\bgold (?:ring|necklace|chain|plated)|(?:ct|white|yellow|rose) gold\b|\bgems?\b"
_COMPUTING = r"comput|processor|encrypt|\bchip|digital|data|memory|key|micro"

_SYMBOLS: dict[str, Rule] = {
    "MM": near(_SMALL, 0.9), "m": lengths.metre, "C": letters.temperature, "F": letters.temperature,
    "K": letters.kelvin, "M": letters.molar,
    "s": times.seconds, "p": money.pence, "c": near(money.MONEY, 0.5, None, 0.6),
    "ct": either(_JEWEL, "carat", 0.8, 0.9), "CT": near(_JEWEL, 0.8),
    "pt": either(_COOKING, "pint", 0.8, 0.6), "pts": either(r"\b(?:cream|milk|beer|blood)\b", "pint", 0.7, 0.8),
    "A": near(ELECTRIC, 0.9), "V": near(ELECTRIC, 0.9, 0.5, 0.7), "W": letters.watt,
    "N": near(r"force|newton|thrust|tension", 0.9),
    "J": near(r"energy|joule|laser|defibrill|shock|pulse", 0.9),
    "T": near(r"\bMRI|magnet|scanner|tesla|\bfield", 0.9),
    "H": near(r"induct|henr", 0.9), "S": near(r"conduct|siemens", 0.9), "B": near(_BYTES, 0.8),
    "L": plain(0.9, 0.95), "l": plain(0.7, 0.8), "g": letters.gram, "h": plain(0.9, 0.9),
    "d": times.day, "t": plain(0.7, 0.8), "y": plain(0.6, 0.6), "U": letters.insulin, "R": near(money.MONEY, 0.6),
    "pc": plain(0.7, 0.9), "pp": near(_TREND, 0.8, None, 0.8),
    "bp": either(_GENES, "base pair", 0.9, 0.9), "kb": either(_GENES, "kilobase pair", 0.9, 0.8),
    "Kb": either(_GENES, "kilobase pair", 0.9, 0.8), "Mb": either(_GENES, "megabase pair", 0.9, 0.8),
    "kt": either(_SPEED, "knot", 0.9, 0.7), "Mt": plain(0.8, 0.8),
    "MT": plain(0.8, 0.9), "mt": either(_CLIMB, "metre", 0.7, 0.8),
    "MP": near(r"camera|pixel|sensor|lens|photo|image|resolution", 0.9, 0.5, 0.6),
    "VA": near(ELECTRIC, 0.9, None, 0.7), "WAR": everyday.decimal, "SD": plain(0.8, 0.6),
    "Fr": near(r"cathet|needle|sheath|french|tube|stent", 0.9),
    "NM": near(r"nautical|flight|aircraft|\bship|\bsea\b|range", 0.8), "rad": near(_RADIATION + "|angle", 0.8, 0.5),
    **dict.fromkeys(("AU", "au"), near(letters.SKY.pattern, 0.9, 0.5)),
    "PPI": near(_SCREEN + "|phone|tablet|camera", 0.9, None, 0.7), "ppi": near(_SCREEN + "|phone", 0.9, None, 0.7),
    "PS": near(r"\bcar\b|engine|horse|torque|\bNm\b|motor|turbo|diesel|petrol|km/h", 0.9, None, 0.8),
    "pm": near(r"wavelength|atom|bond|molecul|\bnm\b|nano|ionic|radi(?:us|i)\b|lattice", 0.8), "ac": plain(0.7, 0.0),
    "st": near(_WEIGHED, 0.9), "toe": near(r"oil equivalent|energy|Mtoe", 0.9),
}

_WORDS: dict[str, Rule] = {
    "in": lengths.inch, "ins": lengths.inch, '"': lengths.inch_sign, "″": lengths.inch_sign, "”": lengths.inch_sign,
    "' '": lengths.inch_sign, "'": lengths.foot_sign, "’": lengths.foot_sign, "′": lengths.foot_sign,
    "second": times.second, "seconds": times.second, "pound": money.pound, "pounds": money.pound,
    "cup": everyday.cup, "cups": everyday.cup, "time": everyday.times, "times": everyday.times,
    "point": everyday.point, "points": everyday.point,
    **dict.fromkeys("mark marks crown crowns lira liras austral australs".split(), money.coin),
    **dict.fromkeys("won dong dongs lei".split(), money.money),
    **dict.fromkeys(("drachma", "drachmas"), either(r"weigh", "dram", 0.8, 0.8)),
    "calorie": everyday.calorie, "calories": everyday.calorie,
    **dict.fromkeys(("stone", "stones"), near(_WEIGHED, 0.9)), "head": everyday.head,
    "bar": everyday.bar, "bars": everyday.bar,
    "proportion": everyday.decimal,
    "gray": near(_RADIATION, 0.9), "grays": near(_RADIATION, 0.9),
    "mole": near(_MOLE, 0.9), "moles": near(_MOLE, 0.9), "cord": near(_WOOD, 0.9), "cords": near(_WOOD, 0.9),
    "heads": everyday.head, "gauge": lengths.gauge, "revolution": near(_SPIN, 0.9), "revolutions": near(_SPIN, 0.9),
    "drop": near(_DROPS, 0.8), "drops": near(_DROPS, 0.8, 0.5), "nit": near(_SCREEN, 0.8),
    "nits": near(_SCREEN + "|bright|lumin|HDR", 0.9, 0.6),
    "grand": everyday.grand, "bit": near(_COMPUTING, 0.9, 0.6),
}

RULES: dict[str, Rule] = {**_SYMBOLS, **_WORDS, **dict.fromkeys(CODE_WORDS, money.code_after)}
