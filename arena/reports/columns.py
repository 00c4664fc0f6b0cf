"""The columns of all tables of results: their titles in English and Japanese, and how their numbers are written.

Whoever wants another title changes it here: the terminal, the report and the pages of `arena serve` follow. A column that only
one command shows stands there.
"""

from arena.ratings.models import BATCH_MODEL, MODEL, MODELS
from arena.records import Ending
from arena.reports.table import INTERVAL, MILLISECONDS, RANK, Column, Phrase

# Of the ranking.
RANK_COLUMN = Column(
    Phrase("rank", "順位"), RANK, key="rank",
    meaning=Phrase(
        "by rating; in brackets the ranks that are possible: with 95 % all brackets hold at once",
        "かっこ内は可能な順位。95%の確率で、すべてのかっこが同時に正しい",
    ),
)  # fmt: skip
BOT = Column(Phrase("bot", "ボット"), key="shown", is_name=True)
RATING = Column(
    Phrase("rating", "レーティング"), ".2f", key="rating",
    meaning=Phrase(
        "by which bots are ranked: what they have shown for certain, unless `rank_by` says otherwise; "
        "≥: it has won all, ≤: lost all",
        "順位を決める値：ボットが確実に示した強さ（`rank_by` で変えられます）。≥は全勝、≤は全敗",
    ),
)  # fmt: skip
MU = Column(
    Phrase("mu", "μ"), ".2f", dropped=10,
    meaning=Phrase("mean of the belief in its skill, and half of its 95 % interval", "強さの推定の平均と、95%区間の半分の幅"),
)  # fmt: skip
INTERVAL_COLUMN = Column(
    Phrase("95 % interval", "95%区間"), INTERVAL, key="interval", dropped=2, style="cyan",
    meaning=Phrase("of mu; the dot is mu", "μの区間。点がμ"),
)  # fmt: skip
ONLINE = Column(
    Phrase("online", "対戦順"), ".2f", key="online", dropped=7,
    meaning=Phrase(
        "the rating as it was played, match after match; it depends on the order of the matches",
        "試合を順に 1 つずつ反映したレーティング。試合の順番に左右されます",
    ),
)  # fmt: skip
SIGMA = Column(
    Phrase("sigma", "σ"), ".2f", dropped=3, meaning=Phrase("standard deviation of the belief", "強さの推定の標準偏差")
)
MATCHES = Column(Phrase("matches", "試合"), ",", key="matches", dropped=8)
OF_THE_POOL = Column(Phrase("of the pool", "部門の試合"), ",", dropped=1)
WINS = Column(
    Phrase("wins", "勝率"), ".1%", key="wins", dropped=9,
    meaning=Phrase("share of the matches at place 1", "1位になった試合の割合"),
)  # fmt: skip
PLACE = Column(Phrase("place", "平均着順"), ".2f", key="place", dropped=6, meaning=Phrase("mean of the places", "着順の平均"))
FAULTS = Column(
    Phrase("faults", "反則"), "d", key="faults", empty="", dropped=11, style="red",
    meaning=Phrase("matches forfeited by the bot's own fault", "ボット自身の責任で没収になった試合"),
)  # fmt: skip
ENDINGS = Column(Phrase("endings", "終わり方"), dropped=1, in_pages=False)

# Of what playing cost.
MEDIAN_MS = Column(
    Phrase("ms/move", "中央値 ms"), MILLISECONDS, dropped=5,
    meaning=Phrase("CPU time of the median decision; milliseconds", "1手のCPU時間の中央値（ミリ秒）"),
)  # fmt: skip
MEAN_MS = Column(Phrase("mean ms", "平均 ms"), MILLISECONDS)
WORST_MS = Column(
    Phrase("worst ms", "最大 ms"), MILLISECONDS, dropped=4, meaning=Phrase("the slowest decision of all", "最も遅かった1手")
)
DECISIONS = Column(Phrase("decisions", "手数"), ",")
CPU_SECONDS = Column(Phrase("CPU s", "CPU秒"), ",.1f", meaning=Phrase("of all decisions", "全手の合計"))

# Of language models; each figure is that of a decision, on average.
LEGAL_AT_ONCE = Column(
    Phrase("legal at once", "最初から合法"), ".1%",
    meaning=Phrase("decisions in which the first answer was a legal action", "最初の答えが合法手だった決定の割合"),
)  # fmt: skip
RETHINKS = Column(
    Phrase("rethinks", "再考"), ".2f", dropped=2,
    meaning=Phrase("how often it was asked again in a decision", "1つの決定で聞き直された回数"),
)  # fmt: skip
TOKENS = Column(
    Phrase("tokens", "トークン"), ",.0f",
    meaning=Phrase(
        "of prompts and answers, thoughts included, in a decision", "1つの決定の問いと答え（思考を含む）のトークン数"
    ),
)  # fmt: skip
CACHED = Column(
    Phrase("kept", "キャッシュ"), ".0%", dropped=1,
    meaning=Phrase(
        "share of the prompts' tokens that the server had kept", "問いのトークンのうち、サーバーに保存されていた割合"
    ),
)  # fmt: skip
SECONDS = Column(Phrase("s", "秒"), ",.1f", meaning=Phrase("wall time of a decision; seconds", "1つの決定の実時間（秒）"))
COST = Column(
    Phrase("cost", "費用"), ",.4f",
    meaning=Phrase("of a decision, by your own prices, in their currency", "1つの決定の費用（自分の価格表の通貨）"),
)  # fmt: skip

# Of pairs of bots.
NUMBER = Column("#", "d", meaning=Phrase("the number of this bot's column", "このボットの列番号"))
SHARE = Column("", ".0f", empty="")
AGAINST = Column(Phrase("against", "対戦相手"), is_name=True)
AHEAD = Column(
    Phrase("better", "先着率"), ".0%", empty=".",
    meaning=Phrase("share of the meetings in which the bot finished ahead, ties as halves", "先着した割合（引き分けは半分）"),
)  # fmt: skip
EXPECTED = Column(
    Phrase("expected", "予測"), ".0%", dropped=1,
    meaning=Phrase("the share that the ratings of the two predict", "両者のレーティングから予測される割合"),
)  # fmt: skip
BY_CHANCE = Column(
    Phrase("by chance", "偶然の確率"), ".1%",
    meaning=Phrase("how often a model that fits would be off by as much", "モデルが正しくても、これだけ外れる確率"),
)  # fmt: skip
MEETINGS = Column(Phrase("matches", "対戦数"), ",", meaning=Phrase("that both played", "両者が出た試合"))
PARTNER = Column(Phrase("and", "相方"))
GAIN = Column(
    Phrase("better together", "同卓での差"), "+.1%",
    meaning=Phrase(
        "by how much larger a share of the other bots each finishes before",
        "ほかのボットへの先着率が、同卓のときにどれだけ高いか",
    ),
)  # fmt: skip
HALF_WIDTH = Column("±", ".1%", meaning=Phrase("half of the 95 % interval over deals", "配札ごとの95%区間の半分の幅"))
HALF_WIDTH_OF_PAIRS = HALF_WIDTH.but(
    meaning=Phrase(
        "half of its interval over deals, corrected for the number of pairs", "配札ごとの区間の半分の幅（組の数で補正）"
    )
)
SURELY = Column(Phrase("surely", "確実"))

# Of a match.
MATCH = Column(Phrase("match", "試合"), is_code=True)
LOST = MATCH.but(title=Phrase("worst losses", "大敗した試合"))
RESULT = Column(
    Phrase("result", "結果"),
    is_long=True,
    meaning=Phrase("best first: place, bot, seat, score", "上位から：着順、ボット、席、得点"),
)
WHY = Column(Phrase("why", "理由"), is_long=True)
DEAL = Column(Phrase("deal", "配札"), "d")
ROTATION = Column(Phrase("rotation", "席替え"), "d")
SEAT = Column(Phrase("seat", "席"))
PLACE_IN_MATCH = Column(Phrase("place", "着順"), "d")
SCORE = Column(Phrase("score", "得点"), ",.6g", dropped=2)
WINNER_SCORE = Column(Phrase("winner's score", "勝者の得点"), ",.6g", dropped=1)
WINNER = Column(Phrase("winner", "勝者"), is_cut=True, is_long=True)
BY_FAULT = Column(
    Phrase("by", "原因"), dropped=3, meaning=Phrase("whether its own fault ended it", "ボット自身の反則で終わったか")
)
IS_FAULT = Phrase("fault", "反則")
DECISION = Column(
    Phrase("decision", "手"),
    "d",
    meaning=Phrase("as `arena replay` numbers them; -1: at the start", "arena replay の番号。-1は開始時"),
)
ENDING = Column(Phrase("ending", "終わり方"))
REASON = Column(Phrase("reason", "理由"), is_long=True)
SLOWEST_MS = Column(
    Phrase("CPU ms", "CPU ミリ秒"), ",.1f", meaning=Phrase("of its slowest decision in the match", "その試合で最も遅かった1手")
)

# Of seats.
BETTER_IN_SEAT = Column(
    Phrase("opponents beaten", "上回った相手"), ".1%",
    meaning=Phrase(
        "share of the others at the table that finished behind, ties as halves",
        "同卓の相手のうち、下位で終えた割合（引き分けは半分）",
    ),
)  # fmt: skip
MEAN_SCORE = Column(
    Phrase("score", "平均得点"), ",.2f", meaning=Phrase("mean of the scores, in the game's own points", "ゲームの得点の平均")
)

# Of other rankings.
PLAIN_RANK = Column(
    Phrase("rank", "順位"), "d", meaning=Phrase("the headline: by the rating", "この大会の順位（レーティング順）")
)
BRADLEY_TERRY = Column(
    "Bradley-Terry", ">",
    meaning=Phrase(
        "rank by the strengths that make all results of two bots most likely; in brackets in Elo points, mean of the field 0",
        "2体ずつの結果を最もよく説明する強さの順位。かっこ内はEloの点数（全体の平均が0）",
    ),
)  # fmt: skip
MODEL_RANKS = {
    MODEL: Column(
        ONLINE.title, "d", dropped=4,
        meaning=Phrase(f"rank by {MODELS[MODEL].title}", "試合を順に反映したときの順位"),
    ),
    BATCH_MODEL: Column(
        Phrase(MODELS[BATCH_MODEL].column, "順不同"), "d",
        meaning=Phrase(f"rank by {MODELS[BATCH_MODEL].title}", "全試合をまとめて評価したときの順位"), dropped=4,
    ),
}  # fmt: skip
"""The ranks by the rating models that are not the headline."""
BY_PLACE = Column(Phrase("place", "着順"), ">", dropped=3, meaning=Phrase("rank by mean place", "平均着順による順位"))
BY_SCORE = Column(Phrase("score", "得点"), ">", dropped=2, meaning=Phrase("rank by mean score", "平均得点による順位"))
BEATEN = Column(
    Phrase("opponents beaten", "勝ち越した相手"), ">", dropped=1,
    meaning=Phrase(
        "bots that finished behind it more often than before it, of those it met",
        "対戦した相手のうち、先着した回数のほうが多いボットの数",
    ),
)  # fmt: skip

# Of skill and luck.
BEAT = Column(
    Phrase("beat", "上回った相手"), ".1%",
    meaning=Phrase("share of its rivals in a match that it beat, ties as halves", "1試合で上回った相手の割合"),
)  # fmt: skip
LUCK = Column(
    Phrase("luck", "カードの運"),
    "+.1%",
    meaning=Phrase("what its cards gave it of that; 0 on average", "うちカードの運による分。平均は0"),
)
SKILL = Column(Phrase("skill", "実力"), ".1%", meaning=Phrase("what is left", "残りの分"))
SKILL_INTERVAL = Column(
    Phrase("interval", "95%区間"), ">", meaning=Phrase("95 % interval of the skill over deals", "配札ごとに見た実力の95%区間")
)
DEALS = Column(Phrase("deals", "配札"), ",")
CERTAIN_AS = Column(
    Phrase("certain as", "補正なしなら"), ",.0f",
    meaning=Phrase("so many deals would be as certain had luck not been taken out", "運の補正なしで同じ確かさになる配札の数"),
)  # fmt: skip

# Of the whole tournament.
GAME = Column(Phrase("game", "ゲーム"))
POOL = Column(Phrase("pool", "部門"))
FIRST = Column(Phrase("first", "1位"))
BOTS = Column(Phrase("bots", "ボット"), ",")
SURELY_FIRST = Column(Phrase("surely first?", "確実に1位か"))
GAMES = Column(Phrase("games", "ゲーム"), is_long=True)
PARAMETERS = Column(Phrase("parameters", "パラメーター"), is_code=True, is_long=True)
TRUSTED = Column(Phrase("trusted", "信頼済み"))
SHA256 = Column("SHA-256", is_code=True)
SEATS = Column(Phrase("seats", "人数"), ">")
DEALS_PER_TABLE = Column(Phrase("deals", "配札"), ">", meaning=Phrase("per table", "1卓あたり"))
OPTIONS = Column(Phrase("options", "オプション"), is_code=True, is_long=True)
NAME = Column(Phrase("name", "項目"))
VALUE = Column(Phrase("value", "値"), is_code=True, is_long=True)
TOURNAMENT = Column(Phrase("tournament", "大会"))

# Of bots in several tournaments.
VERSION = Column(Phrase("version", "バージョン"), "d")
STATE = Column(Phrase("state", "状態"))
SUBMITTED = Column(Phrase("submitted", "提出"))
PERSON = Column(Phrase("name", "名前"))
WON = Column(Phrase("won", "勝ち数"), "d")
ENDED = Column(Phrase("ended", "終了時刻"))
REPEATS = Column(Phrase("repeats", "再現"))
OWNER = Column(Phrase("owner", "所有者"))
SINCE = Column(
    Phrase("since", "登録日"), meaning=Phrase("when the newest version was submitted", "最新バージョンが提出された日")
)
MARK = Column(
    Phrase("mark", "評点"), "d", meaning=Phrase("the highest mark that is surely reached", "確実に到達した最高の評点")
)
SOURCE = Column(Phrase("source", "ソース"))

MEANINGS = {
    Ending.PLAYED: Phrase("played to the end", "最後まで対局"),
    Ending.ILLEGAL: Phrase("an action that is not legal", "許されない行動"),
    Ending.MALFORMED: Phrase("an answer that cannot be read, or is too long", "読めない、または長すぎる返答"),
    Ending.PROTOCOL: Phrase("an answer to nothing that was asked", "聞かれていないことへの返答"),
    Ending.TIMEOUT: Phrase("over its time", "時間切れ"),
    Ending.MEMORY: Phrase("over its memory", "メモリの使いすぎ"),
    Ending.OUTPUT: Phrase("wrote too much", "出力が多すぎる"),
    Ending.CRASH: Phrase("its process died", "プロセスの異常終了"),
    Ending.STARTUP: Phrase("did not become ready", "準備が終わらない"),
    Ending.HOST: Phrase("the host failed: the match is void, and not rated", "大会側の失敗（無効試合、評価対象外）"),
}
"""What the endings mean, which are columns by their own names."""
