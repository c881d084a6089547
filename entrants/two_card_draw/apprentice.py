# Apprentice
# Learns the server as it plays, and answers what it has learned with the best response; adaptive.cpp in Python.
#
# What it believes of a new server is the mean of some hundred made as the contest makes them, by the sizes of the
# bets; written down at the end of this file, since making servers takes long in Python. It counts what the server
# does, and shares out what it can't see over the hands that may have done it, by their probability under the
# estimate so far (expectation maximisation: Dempster, Laird and Rubin, 1977).

import base64
import zlib
from itertools import accumulate
from math import log
from operator import add, mul

FOLD, CALL, RAISE = range(3)
HANDS = range(15)  # by rank, the weakest first: 0-1 is 0, 0-2 is 1, 1-2 is 2, ..., the pair of fours 14
ENDINGS = range(7)  # of round 1: nobody bet; 1 to 3 bets after ours; 1 to 3 after the server's
BETS_OF = [0, 1, 2, 3, 1, 2, 3]
FIRMNESS = 12.0  # the hands for which the prior stands in each estimate
LESSONS = 20  # the estimate is made anew whenever a twentieth more hands are played

# What the server may do in a round: the (bets faced, action) pairs of each path.
PATHS = {
    "c": [(0, CALL)],
    "r": [(0, RAISE)],
    "rf": [(0, RAISE), (2, FOLD)],
    "rc": [(0, RAISE), (2, CALL)],
    "rr": [(0, RAISE), (2, RAISE)],
    "bf": [(1, FOLD)],
    "bc": [(1, CALL)],
    "br": [(1, RAISE)],
    "brf": [(1, RAISE), (3, FOLD)],
    "brc": [(1, RAISE), (3, CALL)],
}
# The path that led to each ending.
PATH_TO = ["c", "bc", "br", "brc", "r", "rc", "rr"]


def rank(low, high):
    """The number of a hand."""
    return 10 + low if low == high else high * (high - 1) // 2 + low


CARDS = sorted([(low, high) for high in range(5) for low in range(high + 1)], key=lambda hand: rank(*hand))
HIGH = [high for _, high in CARDS]
CHANCE = [0.04 if low == high else 0.08 for low, high in CARDS]
WITH = [[rank(min(a, b), max(a, b)) for b in range(5)] for a in range(5)]  # the hand that two cards make


def times(one, other):
    return list(map(mul, one, other))


def spread(reach, count):
    """From the reach of hands that exchange so many cards to that of the hands they become."""
    if count == 0:
        return reach
    if count == 2:
        total = sum(reach)
        return [total * chance for chance in CHANCE]
    into = [0.0] * 15
    kept = [0.0] * 5
    for high, share in zip(HIGH, reach):
        kept[high] += 0.2 * share
    for card, share in enumerate(kept):
        for hand in WITH[card]:
            into[hand] += share
    return into


def gather(values, count):
    """The other way: from values of hands after the exchange to those before."""
    if count == 0:
        return values
    if count == 2:
        return [sum(map(mul, CHANCE, values))] * 15
    kept = [0.2 * sum([values[hand] for hand in hands]) for hands in WITH]
    return [kept[high] for high in HIGH]


def shown(reach, stake):
    """What each of our hands wins at a showdown with hands of this reach."""
    below = list(accumulate(reach))
    everything = below[-1]
    return [stake * (upto + under - everything) for upto, under in zip(below, [0.0, *below])]


class Server:
    """A server's probabilities, by hand: [fold, call, raise] or [none, one, two drawn].

    round1 by bets faced; draws by ending and what we drew; round2 by ending, both draws and bets faced.
    """

    def __init__(self, chances):
        """From the chances of the first and the second action in the order of a strategy file."""
        order = [rank(low, high) for low in range(5) for high in range(low, 5)]
        chances = iter(chances)

        def table(count):
            return [[[0.0] * 15 for _ in range(3)] for _ in range(count)]

        self.round1 = table(4)
        self.draws = [table(3) for _ in ENDINGS]
        self.round2 = {(e, m, t): table(4) for e in ENDINGS for m in range(3) for t in range(3)}

        def fill(tables, hand):
            for acts in tables:
                acts[0][hand], acts[1][hand] = first, second = next(chances)
                acts[2][hand] = 1.0 - first - second

        for hand in order:
            fill(self.round1, hand)
        for hand in order:
            for ending in ENDINGS:
                fill(self.draws[ending], hand)
        for hand in order:
            for place in self.round2:
                fill(self.round2[place], hand)


def prior(bet1, bet2):
    """Chances of the first and the second action that a new server can be expected to have, in a file's order.

    For the mean bets there is a base; it goes up or down with their logarithms, and with the product of these.
    """
    numbers = zlib.decompress(base64.b85decode("".join(PRIOR.split())))
    size = len(numbers) // 4
    small, large = log(bet1) - 0.9, log(bet2 / bet1) - 0.6
    chances = [
        min(
            1.0,
            max(
                0.0, base / 40 + (one - 12) / 20 * small + (other - 12) / 20 * large + (both - 12) / 20 * small * large
            ),
        )
        for base, one, other, both in zip(*[numbers[start : start + size] for start in range(0, 4 * size, size)])
    ]
    for first, second in zip(chances[::2], chances[1::2]):
        # What is left for the third action is nothing, or more than rounding.
        scale = 1 / (first + second) if first + second > 0.96 else 1
        yield first * scale, second * scale


class TwoCardDraw:
    def init(self, bet1, bet2):
        """Once, before the first hand."""
        self.bet1, self.bet2 = bet1, bet2
        self.prior, self.server = Server(prior(bet1, bet2)), Server(prior(bet1, bet2))
        self.ended1 = dict.fromkeys(PATHS, 0)  # hands that ended in round 1, by path
        self.seen = {}  # the others, by ending and draws, then by path of round 2: hands shown, and last of all none
        self.hands, self.next_lesson = 0, 20
        self.path1 = None
        self.best_response()

    def new_hand(self, card1, card2, winnings):
        """0 checks, 1 bets."""
        if self.path1 is not None:
            self.note_hand()
        if self.hands >= self.next_lesson:
            self.next_lesson = self.hands + max(20, self.hands // LESSONS)
            self.learn()
        self.place = None
        self.shown = 15
        bets = self.plan1[0][rank(card1, card2)]
        self.opened = bets > 0
        self.path1 = "bf" if bets else ""  # unless we hear of it again it folds, if it can
        return bets

    def round1(self, card1, card2, bets):
        """0 folds, 1 calls, 2 raises."""
        act = self.plan1[bets][rank(card1, card2)]
        self.path1 = raised(self.opened, bets)
        if act == RAISE:
            self.path1 += "f"
        return act

    def draw(self, card1, card2, bets):
        """How many cards to exchange."""
        self.path1 = called(self.path1)
        ending = bets + 3 if bets and not self.opened else bets
        self.mine = self.plan_draw[ending][rank(card1, card2)]
        self.ending = ending
        return self.mine

    def round2(self, card1, card2, bets1, bets2, drew):
        """0 folds, 1 checks or calls, 2 bets or raises."""
        if bets2 == 0:
            self.place = (self.ending, self.mine, drew)
        act = self.plan2[self.place][bets2][rank(card1, card2)]
        if bets2 == 0:
            self.opened = act == RAISE
            self.path2 = "bf" if self.opened else ""
        else:
            self.path2 = raised(self.opened, bets2)
            if act == RAISE:
                self.path2 += "f"
        return act

    def showdown(self, card1, card2, opp1, opp2):
        """What both hold."""
        self.path2 = called(self.path2)
        self.shown = rank(opp1, opp2)

    def note_hand(self):
        """Count the hand now over."""
        self.hands += 1
        if self.place is None:
            if self.path1:
                self.ended1[self.path1] += 1
        elif self.path2:
            paths = self.seen.setdefault(self.place, {})
            paths.setdefault(self.path2, [0] * 16)[self.shown] += 1

    def learn(self):
        """Make a new estimate of the server, and find the best response to it."""
        for _ in range(2):
            self.expect()
        self.best_response()

    def expect(self):
        """One step of expectation maximisation: what was seen, shared out over the hands that may have been it."""
        server = self.server
        counts1 = [[[0.0] * 15 for _ in range(3)] for _ in range(4)]
        changed = []  # (acts, prior's acts, counts)
        for path, count in self.ended1.items():
            if count:
                weights = along(PATHS[path], server.round1, CHANCE)
                scale = count / (sum(weights) + 1e-300)
                note(PATHS[path], counts1, [scale * weight for weight in weights])
        reaches = [along(PATHS[path], server.round1, CHANCE) for path in PATH_TO]
        held = [[0.0] * 15 for _ in ENDINGS]
        draws = {}
        for (ending, mine, theirs), paths in self.seen.items():
            drawing = times(reaches[ending], server.draws[ending][mine][theirs])
            drawn = spread(drawing, theirs)
            acts = server.round2[ending, mine, theirs]
            counts2 = [[[0.0] * 15 for _ in range(3)] for _ in range(4)]
            found = [0.0] * 15
            for path, seen in paths.items():
                steps = PATHS[path]
                likely = along(steps, acts, [1.0] * 15)
                both = times(drawn, likely)
                share = seen[15] / (sum(both) + 1e-300)
                note(steps, counts2, [known + share * chance for known, chance in zip(seen, both)])
                found = [
                    old + share * chance + (known / reach if known and reach else 0.0)
                    for old, chance, known, reach in zip(found, likely, seen, drawn)
                ]
            changed += zip(acts, self.prior.round2[ending, mine, theirs], counts2)
            # Back over the draw: which hand it was that drew.
            before = times(gather(found, theirs), drawing)
            draws.setdefault((ending, mine), [[0.0] * 15 for _ in range(3)])[theirs] = before
            held[ending] = list(map(add, held[ending], before))
        for path, weights in zip(PATH_TO, held):
            note(PATHS[path], counts1, weights)
        changed += zip(server.round1, self.prior.round1, counts1)
        changed += [(server.draws[e][m], self.prior.draws[e][m], counts) for (e, m), counts in draws.items()]
        for acts, expected, counts in changed:
            scale = [1 / (FIRMNESS + a + b + c) for a, b, c in zip(*counts)]
            for action in range(3):
                acts[action] = [
                    (FIRMNESS * before + count) * s for before, count, s in zip(expected[action], counts[action], scale)
                ]

    def best_response(self):
        """The plan that wins most against the estimate: by bets faced, ending or place, and hand."""
        first = self.server.round1
        self.plan2, self.plan_draw = {}, []
        values = []
        for ending in ENDINGS:
            reach = along(PATHS[PATH_TO[ending]], first, CHANCE)
            by_draw = []
            for mine in range(3):
                total = [0.0] * 15
                for theirs in range(3):
                    drawn = spread(times(reach, self.server.draws[ending][mine][theirs]), theirs)
                    place = ending, mine, theirs
                    stake = 1 + BETS_OF[ending] * self.bet1
                    value, self.plan2[place] = best_in_round(drawn, self.server.round2[place], stake, self.bet2)
                    total = list(map(add, total, value))
                by_draw.append(gather(total, mine))
            value = list(map(max, *by_draw))
            values.append(value)
            self.plan_draw.append([[by_draw[count][hand] for count in range(3)].index(value[hand]) for hand in HANDS])
        self.plan1 = best_in_round(CHANCE, first, 1, self.bet1, values)[1]
        self.plan1[0] = [act - 1 for act in self.plan1[0]]


def raised(opened, bets):
    """The path on which the server raised to so many bets."""
    return "br" if opened else "r" if bets == 1 else "rr"


def called(path):
    """The path if the server, who was waited for, called."""
    return path[:-1] + "c" if path.endswith("f") else path or "c"


def along(steps, acts, reach):
    for bets, action in steps:
        reach = times(reach, acts[bets][action])
    return reach


def note(steps, counts, weights):
    for bets, action in steps:
        counts[bets][action] = list(map(add, counts[bets][action], weights))


def best_in_round(reach, acts, stake, bet, follows=None):
    """The value of a round to each of our hands, times the server's reach; and the plan by bets faced: 0 folds, 1, 2.

    `follows` has the values after each way in which a round can end without a fold; None is a showdown.
    """
    (_, call0, raise0), (fold1, call1, raise1), (fold2, call2, raise2), (fold3, call3, _) = acts
    to1, to2 = times(reach, raise0), times(reach, raise1)
    to3 = times(to1, raise2)
    follows = follows or [
        shown(times(reach, call0), stake),
        shown(times(reach, call1), stake + bet),
        shown(to2, stake + 2 * bet),
        shown(times(to2, call3), stake + 3 * bet),
        shown(to1, stake + bet),
        shown(times(to1, call2), stake + 2 * bet),
        shown(to3, stake + 3 * bet),
    ]
    checked, bet_called, called2, called3, called1, reraised, called_last = follows
    won1 = stake * sum(map(mul, reach, fold1))
    won2 = (stake + bet) * sum(map(mul, to1, fold2))
    won3 = (stake + 2 * bet) * sum(map(mul, to2, fold3))
    lost1, lost2, lost3 = -stake * sum(to1), -(stake + bet) * sum(to2), -(stake + 2 * bet) * sum(to3)
    plan = [[], [], [], []]
    value = []
    for hand in HANDS:
        last = called_last[hand]
        more1 = won2 + reraised[hand] + (last if last > lost3 else lost3)
        more2 = won3 + called3[hand]
        best1 = max(lost1, called1[hand], more1)
        best2 = max(lost2, called2[hand], more2)
        check, opening = checked[hand] + best1, won1 + bet_called[hand] + best2
        plan[0].append(2 if opening > check else 1)
        plan[1].append(1 if best1 == called1[hand] else 0 if best1 == lost1 else 2)
        plan[2].append(1 if best2 == called2[hand] else 0 if best2 == lost2 else 2)
        plan[3].append(1 if last > lost3 else 0)
        value.append(opening if opening > check else check)
    return value, plan


PRIOR = """
c-rk;=aS<vj`li8Vy2R_-Fa%?{|OI~qC7KKyZ7^UdurNkTBZOH1U>|6(}&Rx{=RvCwl{N0oA*a|v8R6XadT%o&YSl%`RVYr8M>(*;q~KTuI4yw
K5y<qpT{}i=jkvX#@!Em&&v3b#)sX!8@9hTk1*SD|Gn`Wvx%F3-Znp*Uz-p3|7-
J3zn}E`lYZam_mzHIx3@cIJ7<F%nz=bOeS3j_u}y7meLHrO$?dthv^MVIZs?+oZp?1(W|!@`yO`jT$=<oajXv5-
dp6y?yX+p#tvh$uF!g!NVLFCm@Pi-1WTxErz3)#Tf!)vc*Y?-
$2Vd>;@OAiVKitDT+7BGVcla+}<CVGiseXS~e=}dquZ{b#>$~WpA9_1=N820V$V4Aa4|Gm;@(Jj?c4ppPnND*F<B*2lPe*?Yp$|iZ%X%O*^k;i
^N+<p{Z%AkJY2NI!`9wPR-_57e`6(1F|Ncg^oe!7&v$>hGrMpkbk028t`Z(kf?>_V~!-pazzQ1{EKJo7M=^pmE|Hiv_@AxmD^ZD!L-
hZNjfA4<${qVK>dD?lj&#%LK*M5BOzYhNX-ktix*L!#OIP%{8bMvqM1MM_}e>0mYz|S;oJ}-
Xux3GE6G3UFd@d)G2%wg<Ln@`XR|Fke3W0=QH&aeouJKj%W3^-5ZdA{;AdDs;vP@)N5XPJM$o!YZ|Y~Io|Mx7sa$9{V@r+D356HIW8<-Tuu$O-
OyamPLrol&kI4wvqI^Wl!G`|h`6b2V?9(-3<5(c*Z-
d46Wtw&%RL+G7|Vj;_b?{XhEsrTy5v+ha~JJ}RC681`2jpJEP3r(Ayy6R>>T+|tzdM1Q2~58J6Z+vn!9ALan^8HN7+_C$O=rZo8X4&=bse~<mq
gWN9e<VT>3<Vn{Lhcoc?7U!H{9f)6|XKXIO*Le!P`#O|)fUl#2@84jaf#~OXc0fP!_2%c4c)esE9>2ad*XC!pnV!wDgV*=>!@c>n-
Gm3frsrX5;r04{cpl)jxgQ=l-
rf&K9Ped3J`NWgKi!(CgV&$;!wui>?+v}$TQlPI7rA~1<M@7eI}CWedEY+|aDO+o^!|KlX`Zk5!<nv|8+wh`X2#dM&<SdE!T0;yVKR81w>{18j
%|<Me>|EQ$A7(pn(*}_zPd|8_qhw5+p#_3d*EWg>)qSof%Jq6j~_4XjISUcru))d@imJafG?8E_QLZWZU>^%ydU0ho_Ga*;PrZIj|N_U-huz`{
bqM<XnucTzHe`bJIUwLp78sJE7PO$2}i!}@n}yvPlxl!c)l=yPvvW7Ikttb{R8K}Jwa}uKgYM`gmitr0X^`(toz&H+^~G;zU}Ss#P{9X;nKqUG
xCdk-9dj)KS0hc(Q_ca_Oia+^Kit^Z@TU`7>Db2j|0hLe74U9?(1i!`-=Jl<KJ)Kw}>xZ_kePSapDVJVZDfs{rxZ-xbArG9?fU7@yC|*?D>H8g
3o`wHy4tR$iaa;ar_PVZD4#mbaWleIvAkia&@;B=Q+2uA5OSFFb?v$;yA1qtvl%ZS@e+PxjpkZygM;p&GP`)#|y9f?be=<j$bHeut%`Iq&FV+1
<`~0jB)`zGfdBj^eA89)b=?3xWl@`ILveHke(yUEsNaV-
$XuBNAE#OgN5rZ7f<v*p6wa=fmfpE2i~K7%#Q=D%lv*IdjRrz;JSnx>(~6&oKeo7Z|%{+_37S_{6C%z$&d6I=GXlWdQ#>&!1Z86FZg|s%Ix6v`
xK83?4ZZ}j@LavPC`$I@&P=9^M@zM8R+<UYp)HC_kdhr+}ztE^7Y+MW59Wi9qIq)6V|<!&(w{0Uw>~V1Mk1C?$UyvfO$yH?XB%S&f_nAf_cKJq
w(vtJK;QEcLVOF+w9NGZ$iFc{Qa%D<GSqUj`YjIek6K?uY3md1>^4k5{Mo^j|T1wav*tmTrcDc<|lgKdXx*$GooErzS6Oyb^pAX6Y}%x0dj=#9
q^0eJ<f-
G={%zu@V<c1di*}|1>=vqnGMMA`w8}k<$QE7{sb(Ge*f#)_7SgtbVCAv_8h_m<puBi2(Ld6)1&{$cixvc56a;O)}@2*!_`Lz*8y%A0^SGQRs#R
+Pxg#*`8tK1Vg9#t91u^05!MUocz~Y5_kV8oWWdjL$xe9v=bU@=pP$2+Blxw>CtB~%JoO2#o7+d6aDI``&$BzC-
u!y9e45eHy1w^QMt<JiCH8<nniM9a^F5ph*QEW^A7MPtX0o{6H;@zD_xs{z2lI!)()C|wKO)}wI;I}L;>N{r#OuG0DIs0}zIvQ*IGai2%j<QAr
~p1UCqS@3-#hRX;r(Yiri^?YLH<b3FbomqpSydUAlgW?A-+IwPRI|;b3wX*ujEnxhLPy_fO!(&hX!Cd>dl)6zVQ3|H+KTQ-Y-
67xF6uS7~%eJV?PGC{xPRMBfiSnA$|$=7ze;JZ&N-Z&Vi2u@?-
22M~qtfF%EG310gu_+g*kT*8_Noi0j%81P<5lw{v#_TnBis?}5KVGdq;~ZaXxH)85@|2Y3%|*a9@%oSLHp6uUV=XqAD#Za0|$@TB6Oi#d;Yzh*
o6KA!>4<oyMstq2GQ_1BNRhtI#=c?>`g#si3d>~=Cp_YQE~8Lq!}7h0cgJGdTjB+RorL)7(1V?=q4?dUVmHMEn*sPB^IzQ=V#`axcY?UDGp$Kw
=1{|;crkWS?ba4hKo&@<uw|MEuw%Jb%E&xGsD4i=R78i_C17IDD!--6tL?%g&KU+;jU1Ly<rH{<^N4#(Le-b7pn@<G0EortgIa|3D-
iO%g{$8>@5#C*X%!2NYbJp?`a0)LA88SE+f_Y8Ol?X&uKb7Oz*!N246&o{Q`>2bKC-Mc@UW2<%^^lblVXrA_2a01~a#C7<6Kr6Hlo;OQ&*n$5=
e+T}H{L&BlcbEtKJJA9D{oJZw#(5_8??5ftE7&*Wr`(Bg4n*Zg@~7|McX6JX=LP>x{`CFP(zyEf{jKROT>p{h8TWG#|9-
x*KmB}k?3d4sXFyIw*8}`A@pWoQ4j`>l%~!gxJ%3`zjPyLgf}?#FTnD&!LVNjy@rLl8`1ku^M0(zj`HXfM{X5Zp@7P~F!LA}bi+`VS{tv|K$QS
xG^k3I@z<vMG&t!k!z<(O{Pqgmp-;a-m{MZA>;r%D-
1L)UqZOOmGde5Hi`h@XG7XJ>{@w$sXz<ONq`uJ$bFN5E?cA%G_C0CS7fb|XN7mk_ymqWZwe6{57z}}zH-tXs@<kcgd0eZkMpF7awefESi`imtx
zQQ?Uyys=zzmR^$Q7iu*uV8?1o~fTL>~rw%gtOhn^t7M4d&2z#{+-tSab<t{eY0d&4=0ch&^Lj9MLB(<--q%2WQgDC-py#gf96baCir(+$B&1s
JLnHy59>SOx`t~v5k2R?e4Px9yQ>+=KMG$#{MVPR`=cX&y2Ej}p8N^Q0p|g`vm5MS5r-T-`S*|RL42WqNB@X^-
ID+5$iIIc!5^bPdvpo!_jR{D#*<$|B)|M~H#rf0u;hP+JMTNtgA?j2`1c#)iqqLnct4PD=;1y1yV!%>oG}-K-
v{^A!}m|_()Tcb1T#hJ4RS;Nf3Egq;rbl>i1_g{oc#dnbTc<Ug58ZSlYf76*M#%>!!yh<PV0_-@Y%6H75@(2l>Garxw{el*x~7Bu(t-
HeB1}m4(5e<?C#B6V0@S?-S_9>Cx`rFo&xOpF+1|V-&0R^^sS!)+H3GGC+2IUapVjA-
+;JI_7&r?j{Lhn+LUm;1K4Sp{{nnXVDH_L=l}5M)FYlaFy2T<L;L*~>JQ=;#0eljGrEBL=fm9G2=tu~nC6)`9rBB~y}Lz}m)$+>8OAT*{zj1F1
>h3mt8)i>1>=t?5e}G!O!Rnj3={azQyQiS<015fqYnGQoWS4B_Uw?}p&1?Gg>g4W^n;T-
hZ)A37W^Pwk9nID`0LPKJeaP{emA(0{9quzGr~5S;Qn^s8}!#<*MlN`Ze{~|0sOV#2l@J8e{MfEzP<KH-
(ef=7_Ttyx5wSj2Do!1_ijp<AA)cz=WyFh-
8GCb4t}#6DZc^!4*aHXZgGNnntvoS5>D{jY5Qw4T38Q|V>p0+hwCHoJA(f``xE7D+U7`~AB3;e0X-m}-
L7|pAGV(O0`ufYnEwQ*0`W4KzafIZ9qq-Uo+55xzWP1#>kl_~g6}umWCz3>%9lU69@ZOR=7f0iy*-
aO&up%4BEG<&A^qE)_)6_H5MSHajle(7gM5LVC%^Ualso|9d077&+EcU(&vx*P_b0?hm$SW59Q$m?Kz6<(`>c4L>^$vvj!(Ng$7|=CAw2$#`v&
F#>v+TQ%gywNCt-gK7+(aj^PhLX^K4g6xGx~eA-
i@4JWclS6la|05F^?7+cA!4cb@hdN7_dm$6<USaoh#>2iV~e@%8{}L4E<^0K~uGFJ`oN!^vli-
>%IwU|f(+hVlY$S97E|1{M(M0qalx@dojf#d$7%c8IG7M|S@0;y4Z(M~a*Bh4(x71GUd&=K&=VJ>%JpXlKDLj+ie6bTE0c+b|E>NqbF*N7c@Mg
Pk{QH^~2jozIlNIDuVc`%3l+w$*^~;Bk(Ww<EqVAA6VeKs(QNn(X}79LUap-
E2hr47i{6|977VU%+@q`}B4R9H*e2M?HYJmDe4R1b*)rNG~4XU?$8L8n8DMFL=TcfPVw-gV5gN4C84q1Ihv7x5>b~peF!%^X48B*}Y?T_Y=Gi`
=>j?et@u)?CQ|o{S5oD-95lEoKQYw=K&ua#m*D{nQ~01XT#xPPO!iH?rBc2U%=W;l!t)vGvMKFdv9-GKc-
RSi18X$ZAS3d@V#e@BkqTX&_7$)SIAdLM9(#VLqPisvtT^a!$!9ppI&M^KhHj*98cZd&J|z7(G7?*Ch$9GFWcRn_=>a5W^LyQZ-
BY>=y&@A@B`lu!dK{H#&|ozIP-M_3vk;+J6oLB`yrtnjeB4e#z)vzGhAl@{i7XgcKreEPYZF&jQ05e;}n0{-
4X0qvpXHm<_+w2Z!rEmY+ZYT@o>1cXR!B&-
E1eiKJRcG?EL}r#9(*2Bk;4`+U*GTXTLkQ=uh_B008s>^Z4Ba_RY1|Jd!;h+Zp4LZKC_`_Sb}Q?SAW<6Wo8hb=w~1=?+&j!}VrA1f(Z!2Q$O{T
my0>d!A*UxSe7C-Tvl}Fb~`hJkkTk-8REK<^cW+^r_o{qXatbF191cA;Eg0KL@_d4C8yW&tO;gyK6-
K1HOoFkk1yYaRKN#qQ7XyA)p`JPZ9Zp@$LlQKWrgFq<Agvke<Wt#Bu}q%;dkAp4eUO1p6sA(@633{>bw*H+zKl&30^*FZ2uh{ned-PLO9afgeI
UkMlflhHwkmYtA<S&O>|tbqoW>q0dtc=>N}vzc3#C9{RIIyK@d1_2h!ZD3I6r))CGIJ2;~rV!p+~_doJP`Iyw)?HTy)cDL>VbbU?vgmyM{;Kxv
(_wYIJKMb}Pe=s7R`#goo!{_ht3+<-
C01)KRY%hl^)<OJC`ND1o0TAdbj5jzQkDTB5xw>P=`3>?H4?icwF|eNxSJJEF{)X{2)^}*0$Kg)nr~M7|=r#uO2Oj`O1JLsr`kaBD&pb|%<PUU
{UI1Tk|8LkO6#un18gGQJ@np%K|D3~#?DIKXz$IaQCs2I7gMbp`a@d|>1)rO@p(lFGUdJyqo?yRQ=Icy(8+b)IpTYc~--rE7asj?z$9-
%rX`uXC3;ZHKd*loF<)454_w_&P)rYZ5HW?qHjW#%ZP4JiZ8E^u;rs>dkFz$O39gat%pC|f!Z2FGIZSe3D@OyB5#Buzd{KTorc6o2<x2gW--
|n}+L-fI8(a|RtXb^t~_&d<=<PzK&X`_pLgnx->2`~*_gTIlw3_As`bJ&)^^F-
n#0A28(|EABAK^{OZ)>l7tKmN4Sv1Afl*|)i?Y4(5ld&LpcjDwD-g%61~kLy8n5`R7rb+9t{8z}}l1Ji<(5Jf9GYf5W6X-
zxl|J5IsFZ`1`(g^+SiMC9<vkceY!~b|k$136Y?lj{6^&eO!TI%5Rl}CdEA<4@AyFaM2C`(Ujgc3mxe9DIDmY<xQj)N*&UOJ#+9J+u~h5w<_W*
>%zu8+7k7O8t)J?E3`u4<fiQx{E8`QfJ-
b{Wb_)^{}z(dSsc)t%{m8*I@t`Yc+9;}OPXp7m^`|15{{3BCgTuA(34Nfxv{u(t8_N{@0^e;@9Me4z%f^dfgOZ-
^{cukx4g1=d&Lh8Uo~Xtj96m3f#RFW0Z;q5Z4$@V26BQz%rs!Z)fz5OK-
;$ye7^b7#MP4^!Ab?D9Wu{XY$fF8h?q{q?FKbcC00hu;>l@JOGp=@Dg%uk%>Hmi=lq$u#*DJ#vFkX`BD^6o2D4)cP9!W!qE9N%c3lG9H8bO+K<
UR^u_c<$IN$>bfVtmVXHA_i0&ovEX5mb49|x#8-8Fiq-dYU;l6GF5{}(Y?@!z9Y_AY?s6-
#q{}>VRZ2`pT;%k+?ysz_txBj33$J>uth%q=B8spUjjOHPvhKmFy`T$nsOYNXM)NaYE4!rsz1Wu|`#+OJ7JZ1-
y36&hRvA~3UcUzaqT237|IvOqwm~>=j<Odb+pnSz4mFS0M%Iz7Y1s(6?nR62O0Vq8z70;tgWRs{#>Fe49ukfs^hflFzE$&tvcE`9GLd>SU1#9(
H~afKPpwzABG+^=1|uX?uX_qb|J4tMmE2^ep#CC?-&22+oYggO6<UqpC&icW_Ykx2{7Rql<%|C6_4p?uHCzl`4e`6Fcze-5rH61O_*W-
#MeGKDMwrJCWDSe{i=A_op2OT$_+?eMqA#-ELG;b(JhUSNzmjZ4;>ohV1q?@cMeL_n-
z<DNQ;p;Lzo3{(J~Y4eMaHZ3C|<nq<rzPPvfua~k?C?IA=$UcpUmUbzKi$*V|yPFk>mG=j__I-TEP3APd&T`{zi~8zUIt&)dSwc*C{gHxo6xK1
s?+TCk2U!|8PB%;_hPLNDs5(Jsc+4@puq)m=eopNP(_XyQJ$<_DO}K!wLc$ayUc}UXS>l_u(J$Z!YtQUU<bBOn*#-
f&CBzt$P%^SOYs(>s?qZa^U^J`qDFA4%p<4a+dY0%z7yMK=yH{u#ZcEdtpEDJgwkEt8y&(t?;Y%U|IVGf5x?)&$3KeW{JM?Z!4U~x)&F#?*2Di
_cyOjn-Nv%)xTHxrTF)P*+Q|a1y||*QmBLeT|GVHI{%x0mw8@rg4z+jZxX#z`x)H&`WL?*7QY<apMbz(&)4+4;(_1%yWBUr1+TOIshy9j`?)fI
T;q)w|1Nr_{vBgRvAGg|i9Z**o!I^G8!}$+1GmH#Vt>^9h~3jYD|CRIHU0_`NAW&D`o)gPI<E9V{c%{d?*-
Sr;BWNT6;24^2UXv6U&Lfz<2u0=1;4Re?Tg<}HY~fi&Rwv*)Pb<9`wE|z=nMF@s(0&kXZa{DD(hbS9f#+f=2`eczN_^p{yke87T=EkORjge$P4
8G_VdNR+gfimKcU}Gl;c{)W2*c+(XM#KlD`V#-<>P_pT3_Z4hi-(4rd9Ms3JJF^EksF{Ckx3Q2*|#{kxWnMH`F$i?da7-
;mTV8K%R~iV*H%JZRVJ_$U9a`cC^*#+UuQiq}GI7b^Q)_D}IQf~#D$@7#iYDL(`Jq!HE+_jv@m`xg8=tPJos;cMmJho0AA%vStLpgacnYtMNa-
=XVQKM^%Q6N?4p{TU^9MLDm<Klfq_Vx;6D_?f8qSnzLH$9t7uu1zU@-BCUb6DFw7mh%;g6V`q(*ZH<;e$p>oZv^P@+M~zUd`rd8l8-
6~)~mk_lBYs`Q+9%T0C|9%gX+{vL>DDH=$HJQ+(q_Vl6{*T;e;3$o4KMtc(p6*xcV<~9NgFX3ePLvOoH3$eemMX|CqP2%k_+VD?1;E52FbHCw4
#_7JL);m#c6bephfL?qA1o%AfH(?!c9QFL5Q~1jPg5FQP`K5_bjh(6p}wpVf9=(VOz6^JqRbRB@cs{azw;$GctQaFLIdSjJVJGRo&@@BXykmBC
p1!AcHU;@+^tmulx%>+TcVd9u%F2l{q39<yQm2RggL$I4f5D<w#*JG4J3PI1e)uf|<%S1H~A{0i%?cDVABtgkkN8V479_=h+SU#+I7UQ^)9dcE
dLIDQkHkuv9LHI9oCuO;<6CalIwUTncQEB{{E^CfbFaTBV1p~gFsw|&X~a~`;|^O8p3alyT=%F~j(!A{_Q>IZ|BB(SsKsbDR0263VN9$;U=dpu
mn*9XoAr`UHx!w_Q~7nvZ*CM$6#<Bs5+*mb^p49bsN<?o%^BP<XVCh_X>{mMRj8Fw#sEQw8l+jd}JOP(n%a;#%oo>u8t#fd@eab$l8oa6VS<V#
%1w3XK-pRa35{)puUevter$T_2&DNjz-t?-
h+iwo|n#*^Up9Ql4U56;WBNLC=N5f6=nTy3lpwIy$(`<eMq)}YSjp~ad4=tawMc;x*K`<(pMI5xDN#f~SA+r8Lr%|le{U*aK+cRk1Ptmj_wTu1
Y!9+r)(ewxo-<+EIk>uSsEO5Mqp{1B&+UlQ0s&HpM-
s`F8_Ot@C}yQO`hI4la?LHDEcvGB`z3yHIed?YSldnunu5MYbFvRc)x>utd;?@GSTlKeW!f4$P*dAHKP|Ni`E|AfSNg!BsR1HGbsMQvpJD8|qR
t8oR|5!5^ST=TJZ$!Fs{PWO>5d3OBi5uq!(vcK1vejACD_(C|xeFu>;VF=_RfRzM>7yshlgldTPM5u|0M~e(t4E=$n>zwYZ#ok5n7?gd-
P6o5&z1Nm;U1#T*q;LDy{jGBLTO|$+gGY8^l#YqShTR9^f~ciefnww~ks|ybywX7YSnj*{z2{&}C+9|U_a{34_7kbwAv(<vu%<9B;jV~8wTjof
YpxhPL#*!}?a=&tjRGiuE~B;~yEvz#aK;ddw@li<WyLVtjNU_FQUtGs?-
OPda#yTn)UE^cZtQL7qjBJDsq33)YIHL;B%?fZ$&81pLXjy7=zH$b30^9GA(NMP*+gHVoFG~3UZUg5>l4b#l0D`d1kNY+<dJI(S*i*t*~N?K`f
yezlx~U&onZFYE<H6!4@c`m8yM9xIt3?2*QcSSJC|4*_(D`<2Sx+htpW2ATFTgoRLxIyVUinP?@F~YC0q}ST?QKc@cI!w31ug!ub@SI#SW--
*GI$%B?awnSeK@ASXZ^;vUQ!J>rizaXm^5r%}UEWR=#MfLZ5tYUiKE<$}U-
!P?zZ>7w9{kC(0+G++Rag`rNouMHQ>&R@vlb9vAB>pVdUUjJww=YSb!jF<=Ufqo|<u>+ECE!a7=UYwcX<d8t-
wHQFkj8b?V~3!|&+j4yOVnJyAalbO+GP?RY2X!R|N@9AHY>7it~wL68gFA|lxr9QW+`q-
ruyi}i=ZqAPAddNDO#ahO?%|VTs(da!gKT4n>58z65-
7eYbvhJ?h)!nj=nhl`WW<0RfP9>^#@~TyUuv(8rKNV{eUsh8lOE%g0rF*aJ0=HCdgRi?lBr0vSdMi>@dN^U@ihP3Tg;}z!nq?<GTHs5fYbQv$R
E@n>C3xNI5;(1I(ClYLFBK8A#Yj1?sw6Iy&lT=y6mO}5J~V87W!<e?XCZW5mm0OKpk(dTv%6_ee_7EN=X|joHM(*VCAgBckrhKsfj1ow*k_096
}@Kc>S!<cP;ZE8zw0^^Uv6k<J}1>az=lpT{$zihRFefUko)GSxV)!m*CStOM3!t7>yM(Z#U9H3m+lD7S_z+FY}mgh&bF5<l|)0Bm6D7R`_ClR&
LDXs<v$xybJm+Bb17YSs!zG)?9<S26lx_J9U8(5^SqCS<r!C17Vk^7h5lpKOsX3sFXq&T=|J6$=icO&aEV)2yI$&h0p^kFIN=)?IG+ggk$)bdr
>u-qxngz>{czItl8l-}^%3N0B|AiS8V?I!^?HbXrTxxPKUe$4hUNu-PuXvyRfTC!{Ga;{J7B$2`=^mGVM@z-&-BpyDAgRRT{5_@u(|*-
KnHj$Vs`;%pL*^(h(o8@I2!MzYLN+VBaSkpCquS8o>>kV<c{kWd&B#;?>uM00EWVS{NVULArTIl#}=_a0tq0dA<IK}qc=1k;V;UzbBA+}e9+oQ
snSPUj|sRmv=@`$qd<D=FuMsX!)GKyluO`l2gww~CCh>HgSDjf<a&cZH6TrJT}(`Wl&*umXFUj+*AFfxygKzQ*V{5of_!5g9lr;1$Lx!fDo^MQ
;m?eGk$z$7sbyRT-=AfjF?q^3I>ty5Qx^rVahFKu?gf~~a~DU{<QwhF0p-AaX%;&~?uB-
4>B276ksOMDU%`whE;cXSu1i<K3$ClXp47jarOL1Ph5aU2)!NUx*J@kT)Mc3`s(15CrOw-FpKX=dGgSg-joSo2mTIr!2)6TP-eX?~XCteuxl=n
A7re8|a>Zir8Mh$*Rvak%z1Tyx)2_y=1rKPKmf$8Mc3$^;c<oY4>c5=gfD%d8uV&tng$|3|S#SVlVS(=2{>%KS#sN|#4pmpFDea5SmCiTDp?>9
WwCfwI95_B6#J?B(yx@ciw-}A(G)@z`yUhC_0d6rI=cxWzzpe^|T0WeguthFd8^!Sv_G2e@l<@=Gz0!3M-
8#D~{!?oU7Q627y6HgcrPosz*c#W-
I7DOARp2m=uDU!7*j?tUA+KjOUhsawhrI5LpAx4EFdo*dGmU3Md<<eo^xQ+qb_U5#M??Nyv#8Wvz<OeXW>=|tUAnf^zlW-maOu{c4rJd3Twkdo
(f7xL0blFSQ<KmyhXq%2w?WZ6srqPMK>VPUcxVzk+9yA><TpymVeQ`|R|iwy1zkV1ua1tcIP@o!<%f&1#k_;cHS_hM?}}fhs@$|Ezcj#pB!46R
Jx_b<nXlZbo+!TM_cV_Y{0H(OzcFIh8GNsk{gE;I590%R1>j5V0pU8Chj2yWtiJL^T~RQPkuDO-mykRo`Q0?MG;iu*-
=REXV1EHt4!<|{(v^_7>N8}nPL0@2Nb3~IUr(5?AUxo@NY$1YxS9d$!~UJ_6R6&f{t*xej>kUG=al&%+(CL8(M?gchVj;r1z(21)f>r^jF_WKV
v%LNBUgPnhz^b%h*s%(%Ip!y52Y^y>5ZQ85qea?|EPd7(vMXLoRshh=W}u|r!=yc(;A8LO_Ow^xR@jJ#r~A=0MM6vz#Ayf==u)k9T3kT-
7(NQEqDXyA%3`uh2x34M0jUqUN6dYlD>2Ir?2=zIgWhRi|n71yiw3@82!JBQ%am!aK6}i`_e@$RX?YBnNs>KxPk35+c(6~($&NM&k+4-
Dt11s@&HTMW)M3c)Xs|^q@C2ssiYa~VaI%imwdu1p=6_^PPO``{$1?h5qG`fd9t5IZN1oe>53A22-uYMNpS$$N8)SGdCaoko%I!-
$1WJpev12*1h?rtZQqfMXV_OA+rLy!Jyl)A=--
1>u?TSq4%fVaLHq~rPr_HV&Y^VoF<(R<*mv5u3H=WH0q#0TOrLfgXm!Fbohw9_6+1so2h1`0qtLHj_c%5V_W{_IUj0tND^+#U3XYhuDv8zb$os
67_<n}?tt0yZc8vCk)p*CbRo9hNN6_lPbp~r3Wart=z&_*n4Xf~E=Q$3JQjOPcH;ltk4ioq-w4V^4@IIF+{~5lE`xWS-xW&ndM(tA5u97bCX}c
qyf+M@)lh}Ep_=GrP+T(6#JuG>|Qo&@s%p6Azk-L{V<O{BECBEx1svtj+$Sx+dpD-`jABq<;+yLnxMu@-
W9oT6{_9luQ1AE`&ICYhYU81fOjAQV9jO4Ge-hz7G<8?4UC`xi{&!y`i=b&*5elB(uANgDI<aFxJaq&s>2*vJ|1Y(k^OX4_asYPRz9af0!d`HM
Wlx`j8{koeoc$vq=p!cWyhU6rkqIgsC<zu#)tI!}pTo?36A_w+6zz6Zmb~U0M$M<NTsf!~Jjv&8^<3atDb`mD#b2Sfji!#oo`~XF*v~IrSP3k;
V(C#I~xs{!#E_Ah9yw^D%&7Gm{6Tk`V?>o)IkY4qY@9&3Js_TMBGso?O`>0#7A-
bmQX#JDm0kj`T<plA42YLk2Dcc|2?}_7hwZlR1V?w!t91snVUZhT|`!ddT8SS2>+ETPj)|hPyf1mYEYHXe02OVcU*SuH4d<3pn=5Dvp^L=Ukg)
i0vw*MpApNcQ1-D$YzBo4QX6S-
><`6B&KZ0FD)GS1;~(F4tA`^<R&FY$=!E5111r#uFXOWsuV3j1fwf6MRxp+BAA5~{~&cRm9j!hF_Jf2wb#R_APFJ7Za&tTX{QC-
F3&xbjxY<((5;E!RmGLj3($PhIO;&P!^2HP9D>#K@H0Ax{^Q+=#l`Ik{;Z;{%FtwWjJz3>`~%oe#??Yw4ktrwef3WvP5=tG?43x}HhYYX0ALP@
TnJj%RT($&|YUs^8O1$j?#duhS|iKa4?J_Rt?W>QHwny5$@}eS&7GFR$suXEKD}8m@oul#t3<l(wwsD8`^nr{i8#1hgcdP*>kH<)nQNf0B~>%i
VsbM(XQ9PAAB3?LLT#`2MXn29u;0RlIwfgH&z1tolou&OK?Z4d@2A<B_rz9rY?2YDx**`K(U}L92~Da@4yMO4AHl+YStJ;sxY@1Fbt(tD;|3FS
$Z$Ik8{&ObXrD3KD5sa8{Ii?5(ykYsYyxV<t>-7*>SrTwKnOX}YmGtG7f^a3xg@oSZqap`03G%)q^*rHaTX$Y{#KNtHmJ?SRjz2--
_tovI>MxrC>^ulhkb!!AHTdKQBT`n@if^A{FL*6g$6INn!hl(PJ-TAQn99k}X#bVjjiP+(5nlAV?;TG4(@Cx_+8-0JL-_OO>l;QQE8?JQXy{+=
yo=(K0V)prO>TSOVJA7kKxe&2@LfK_M1mvnqs?c%WNWqheR2VYfN8OyHspk^;4_Xr2I0@WGumnUzyP|dd-
;n!@xV^31fgy}w9pV`I@s}_32hq#L@S$?h2ly%o$*K%g0h*eAO<=FwQ&MGLXwp9;3RbPM0Az1Y@y1U9r0^S!^53mP4<5lgW)!75yH+rVc)o1m~
nGk*!jCV^#-O1VESdC#;CA#Wtfp!CwUe~zfK38YlOH&1RPvxa)gx0yLm}pP1zOi+ejB0>Z+oP3dn=E=Ro39*p)Ff;aJ&-dKGQVZHIQ9-
+{a$o(mdi1UNwwUnRT`Y^II>wmivFRTm9@(men!u(>Y7lgke?`L%sFjj<#gK8y%U@UVkBF&1AbMVDph7ZE5E3~`Yg|q4Jp=cRlN^o!QA>86Hfd
8V>w$$*(AT5)Dk<Y*{H>)$_B5`KDn@dwuw~Zyq;NiVkvYmX!{ytl;5&%i@D+;&90vXft{_=Y@yjQ`rI;7!u4Z}W~128z|~Dk+F>ta&u3;LCAzV
lhq3~;?YVHew9!Qsn&T!@e%yjdZBKre>54|nO9bSwizcu>6#1-
9fflpHeZGJX;>%ev)~764>G~{+WI3Zg6F?sOwSZ`rr;XKF<y3dasXt`=LRpodPqT8KafvJbO&tjRulDD%UfS;@RY=OlNwu4vB4*=a&!y`mN8?v
j*>b*2s*Ay^z9q*I1!qm8u}cv&&>3PJXt5oO`k^Cbmry$?3dV*e(qZcaztDB9i5;Ckp_Uhvb4Pm6p*g0WYo9sFZ{^IMp35~RMO$H4K!SijLNr{
hlq`BH>t?hX8#~gg7&P|Kokl&<K9qeOO7<z#XYDY)=dK!kW`fLPU%KCT<!Sp>XBhFBTC_#7cHfxt;FM6E!Ban_euPdkmQ&(npM$IicXuRg3O37
QNW$WgIa|fJjws@;fz@-W=mYM8O+qa<R{NzI9%}zC7Sk2z5>&qh?XtdT*Fh4ypw;Cpekh79Q+u67kExok-HFxNG%NT|&+?ULZdk#;w(645E;PZ
+O0{&It)6{AhE~9D{Y<YYU1c$-9QBNT$)1PuOdejxuzH$MD33-
6b$2WIqnED2pxtS!XAFoRqp~~M3D%2PvgJ{pC7_1Mug*4$KD*@^QPI`(`>;A2<iu3wQhog`w2L)PQTkxgB$)<1t1M><d50*n9efZM8(5#Ymwmz
A^_hK);}$YZ$pF|`80u~6M1aX^*J~&_2Cp$rahIX=&@bmVr3=Gym#MFxRZ#jn17|S!ICLOAWV{o_J}&#jRdE7kF7WzJERL1#Y<adz1-
L`0{;N9r`sl4_)$%M6$%;yKuizm)kMB*C{i0PSl$(=h#4K6o5-&Qzm)Ta`Gw3yZv5rd@i&1=PV-}3Z*?Dl?G!A|o=job(&$-
Fjao1&%!=dTPu4R>!i_3ne@AE!2c(Q@3FKns}x8oRD%7o~G__E7$r8K#N_BXK{9n<Qy6W;ly>!$8zU-nVyQe=I0%eiZ@(`49e={4i;1<(6HyH%
Gnc&y2qZPtFHHX3<0i^SuEknxm)DL7bhr7KV2v`e?B;LC)5M3HWF_AMctM!u^K-
WtE?x&%Ik;rpd)+4|SB`RK<j?_c;DP#8;hW(Te|@tG%aIvwXZoNF=P(mO->8uZWHC15ZU!_|8^FCFArQ*1xDOHrTtm#_-
JdfG)j<?!<C7kw57r|+ED4$Y^OXCnkXjj&D(>biQ;|0rEW@Iw3O^_fUn{JX2hBX?PoMs;}7M^0%3;Z6LA^gA)FQJ>XW;SH`*ccgE&@4S_+@yMr
iEaSOQaE0S%U%BFsrTSLm&L~}5<;-
R34C}Dwd6>pNSXY7*c}7#Qp{!ku!!36+mQw`!+&;^8E=N8?9{8jZ+S@LZ$qVae_z6A925E>5EN{4)UX2z}BhlL}PrsAyMva?-(6D|akjHr{-
0MX8gx$DAE6?Pq@-
3u)<sqAv@hLqF)pI*%d2$**3!^@xZju5`wUw)<2Rg&KVysG+?sT+oMcT!Us~?ZDPr2j6Nw=8eyn%KT>T_eA>ZSMzeWs`n(nSp4vidBL`gDZE7c
nZe<T=p(MpyY)P}aoHP~~ozt{q5U+O{V@?&P_;P1_TGKeT<D%TW~Or|x2Pyf&E6>CjFj@nMnAv*9zwI{d;IEuTtuRaHcud_wy~;`fC6fa8V|xA
K{C&9!m<bBUhH*<-RnO^F7oS_8!+ZaEFbEnteA%9-MoABqyQ%WI!HqALr220KWvL*f&5bqvqXPT=kzBTrEZf-
g01WXdxX<k@RW2hZws2cPi7v(Fe|If@Hxg^x`1%b}twU(|&bBWR!lGw+!Wxe@M3t;IFUxoI<e9;N#*<(BLe*>#S1y{+VfRn8!Jq{#k}tJ@{7R&
ot;N-
l8sk>+o`<oOFC<QO|u_CTKr5;d4&JYPQ#iVqUeK3;1G!=E5czF|q!(4%!?b$+N|EYi3RQ3h7uTu0wW`_K3>O1DDPt~ACe^z<3)R}ala{mRBlEX
1b>muL3*P(5pbGX;EVgzfzDtkfXSd?LT%__SaYJYb8y^79?=h^#&{M?K<VNYIAx`5&;~9Pgw3#r@G{lc}1>d(d*=>zk%`=-
)e1&A8y=E=!d%X}4#GdeuknrqOuUcA4m;@l`%e@)<US)w7hB<AK%F<QS9569IjwPgf;L5QF_Kr$4#df}WjG5}2OzQ>J>xT8ZB!FUR$(Nbx4+fr
Dmw*#Gk>28k==AqA=MW!ZkJXD*5Mp!p;ls%Jqc{nlx`4EjS|P~6P|!smVM<n#ocm&Pqf6}Iy17LC8!P`A}ePtX75S>^xz`Ty|qKRBa)rv
"""
