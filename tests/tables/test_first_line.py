"""Whether the first line of a table names its columns."""

from __future__ import annotations

import pytest

from evolve.tasks.tables import first_line_of

CASES = {
    "names": (
        "date,shop,net\n2026-03-01,Rewe,10.00\n2026-03-02,Aldi,20.00\n",
        "a,b\nx,X\ny,Y\nz,\n",
        "First Name;Last Name\nAda;Lovelace\nAlan;Turing\n",
        "Address 1,Town\nLindenweg 7,Ulm\nHauptweg 9,Bonn\n",
        "Amount,Amount\n1.50,2\n2.50,3\n",
        "name,mail\nada,ada@x.org\nalan,alan@x.org\n",
        "shop,net\nRewe,1\nAldi,2\nshop,net\nLidl,3\n",
        "name,short,,\nada,a,,\nalan,b,,\n",
        "n,out\n1,731\n2,15\n",
        "q1-2026,q2-2026\n5,6\n7,8\n",
        "line 1,line 2\nUpper Street 5,Floor 2\nLower Road 7,Floor 3\n",
    ),
    "row": (
        "2026-03-01,Rewe,10.00\n2026-03-02,Aldi,20.00\n2026-03-03,Lidl,7.5\n",
        "Anna Schmidt;Berlin;A. Schmidt\nBernd Maier;Bonn;B. Maier\nClara Vogel;Ulm;C. Vogel\nEmil Wolf;Mainz;\n",
        "ada,ada@x.org\nalan,alan@x.org\ngrace,grace@x.org\n",
        "Rewe,food\nAldi,food\nShell,car\n",
        "1,Anna\n2,Bernd\n3,Clara\n",
        "user-1@example.org,example.org\nada@test.com,test.com\nb.c@mail.co.uk,mail.co.uk\n",
        "x-1,X1\nx-2,X2\nx-3,X3\n",
        "K 17/a,K\nM 2/b,M\nK 5/a,K\n",
    ),
    "unclear": (
        ",name\n0,ada\n1,alan\n",
        "Anna,Berlin,\nBernd,Bonn,B\nClara,Ulm,C\n",
        "land,2019,2020,2021\nD,83,84,85\nF,67,68,69\n",
        "x,1,2,3\nD,83,84,85\nF,67,68,69\n",
        "country,2019\nGermany,83.2\nFrance,67.1\n",
        "name,name\nada,x\nalan,y\n",
    ),
}


@pytest.mark.parametrize(("wanted", "text"), [(wanted, text) for wanted, texts in CASES.items() for text in texts])
def test_the_first_line_is_told_by_the_form_of_its_cells(tmp_path, wanted, text):
    file = tmp_path / "t.csv"
    file.write_text(text)
    assert first_line_of(file, file="t.csv") == wanted
