"""Files that end the process that reads them."""

import base64
import zlib

# Three rows of one column, with one byte changed: its type is that of a text of 255 bytes, its cells are numbers. The
# library reads beyond what it has, which ends its process (pyreadstat 1.3.7: signal 11).
DEADLY = zlib.decompress(
    base64.b85decode(
        "c-m8O^D%PJP}Wok4hRlbaB&QARB-e3aaGV&$S5f(D7MnqPtPpLC{5B!&d=2k&#X!;O7Trh)(=WeObISYEKy)$U|?WmKmcYqE7HNx"
        "T){8DOu@*^z|hLT+{(yAfkFT@6=dIkB>R{+Siv~VKg87qsDv4+1_D0VGgqb-L$!i{15;i;*eDjLyFr*8>TZx22M~)Ong1UMVCq2T"
        "zWfVO4^ztwRrCM<`~Oh7{vVXj4mAs;mlcRZL)>&NK!V&*17Ly0f#eWgC>x{(>?zx_{F2lZkdy#aDRP*@jCjtB<Y=J3Vg7}=4FI)c"
        "Rc!"
    )
)
