"""English words whose forms share no stem."""

# A base and its other forms. Left out is what is more often another word: left, found, saw, bound, wound.
_TABLE = """
arise arose arisen; awake awoke awoken; beat beaten; become became; begin began begun; bend bent; bite bit bitten; blow blew
blown; break broke broken; bring brought; build built; burn burnt; buy bought; catch caught; choose chose chosen; come came;
creep crept; deal dealt; dig dug; draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall
fell fallen; feed fed; feel felt; fight fought; fly flew flown; forbid forbade forbidden; forget forgot forgotten; forgive
forgave forgiven; freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown; hang hung; hear heard;
hide hid hidden; hold held; keep kept; know knew known; lead led; learn learnt; lend lent; lose lost; make made; mean meant;
meet met; pay paid; ride rode ridden; ring rang rung; run ran; say said; seek sought; sell sold; send sent; shake shook
shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat; sleep slept;
speak spoke spoken; spend spent; spin spun; stand stood; steal stole stolen; stick stuck; strike struck; swear swore sworn;
sweep swept; swim swam swum; take took taken; teach taught; tear tore torn; tell told; think thought; throw threw thrown;
understand understood; wake woke woken; wear wore worn; win won; withdraw withdrew withdrawn; write wrote written; child
children; man men; woman women; mouse mice; foot feet; tooth teeth; goose geese; life lives; knife knives; wife wives; half
halves; shelf shelves; index indices; matrix matrices; vertex vertices
"""

IRREGULAR: dict[str, tuple[str, ...]] = {base: tuple(forms) for base, *forms in map(str.split, _TABLE.split(";"))}
