"""Forms with every kind of control, and with odd ones that a page may have."""

from __future__ import annotations

from itertools import product

KINDS = [
    "text",
    "search",
    "url",
    "email",
    "password",
    "tel",
    "number",
    "range",
    "checkbox",
    "radio",
    "date",
    "time",
    "datetime-local",
    "month",
    "week",
    "color",
    "file",
    "hidden",
    "submit",
    "reset",
    "button",
    "image",
    "unheard-of",
    "TEXT",
    "datetime",
]

ATTRIBUTES = (
    "",
    "required",
    "multiple",
    "readonly",
    "disabled",
    "value=2",
    "value=1.5 step=2",
    'pattern="[a-z]+\\d"',
    'pattern="["',
    'pattern=""',
    "min=1 max=10 step=3 minlength=2 maxlength=5",
    'toolparamdescription="what it is" aria-description="not told"',
    'toolparamdescription="" aria-description=" as it is "',
    "placeholder=p title=t aria-label=l list=x hidden",
)

NUMBERS = (
    ("", "", ""),
    ("x", "y", "z"),
    ("1", "10", ".5"),
    ("1", "", "2"),
    ("2", "", "2"),
    ("-7", "7", "2"),
    ("-8", "8", "2"),
    ("", "10", "any"),
    ("", "", "ANY"),
    ("0.3", "0.7", "0.1"),
    ("0.75", "", ".25"),
    ("-5", "5", "0"),
    ("", "", "-1"),
    ("1e3", "1e21", "1e2"),
    ("1e-7", "1E2", "1e-7"),
    ("10", "1", ""),
    ("+1", " 1", "1."),
    (".5", "-0", "1.50"),
    ("1e400", "9007199254740993", ""),
    ("", "0.1234567890123456789", "3.14159265358979"),
    ("1e10", "", "3"),
    ("NaN", "Infinity", ""),
)

STEPS = ("1", "60", "59.9999", "0.5", "0.001", "0.9999", "any", "0", "-5", "x", "3600", " 1", "")

ODD = (
    "<input>",
    "<input required><input name=b>",
    "<input><input><button>x</button>",
    '<input name="  "><input name=" b "><input name="&nbsp;c">',
    '<input name=" a"><input name="a">',
    "<input name=b><input name=2><input name=1 required><input name=a><input name=-1><input name=01>",
    "<input name=__proto__><input name=constructor required><input name=toString>",
    "<input name=elements><input name=attributes><input name=matches><input name=localName><input name=submit>",
    "<input name=nodeType><input name=getAttribute><input name=isConnected><input name=shadowRoot>",
    '<input name="é 😀"><input name="a&#10;b"><input name="&quot;\\"><input name=A><input name=a>',
    "<input name=a><input name=a><input name=b>",
    "<input name=a disabled><input name=a required>",
    "<input name=a readonly><input name=a>",
    "<input type=hidden name=a value=0><input type=checkbox name=a>",
    "<input type=hidden name=a required toolparamdescription=d>",
    "<button name=a>x</button><input name=a><input name=b>",
    "<input type=image name=a><input name=a><input name=b>",
    "<output name=a></output><input name=a><input name=b>",
    "<object name=a></object><input name=a><img name=a>",
    "<fieldset name=a disabled></fieldset><input name=a><input name=b>",
    "<asso-ciated name=a></asso-ciated><input name=a><plain-one name=b></plain-one><input name=b>",
    "<asso-ciated></asso-ciated><input>",
    "<textarea name=a required pattern=x minlength=3>text</textarea><textarea name=b readonly></textarea>",
    "<meter name=a></meter><progress name=b></progress><template><input name=c></template>",
    "<fieldset disabled><legend><input name=a></legend><input name=b><legend><input name=c></legend></fieldset>",
    "<fieldset disabled><fieldset><input name=a></fieldset></fieldset><fieldset><input name=b></fieldset>",
    "<div hidden><input name=a></div><div inert><input name=b></div><datalist><input name=c></datalist>",
    "<label><input type=checkbox name=c value=a>A</label><input type=checkbox name=c value=b required>"
    "<input type=checkbox name=c>",
    "<input type=checkbox name=c value=a toolparamdescription=d><input type=checkbox name=c value=a>",
    "<input type=checkbox name=c value='' readonly><input type=checkbox name=c value=b>",
    "<input type=checkbox name=c disabled><input type=checkbox name=c>",
    "<input type=checkbox name=c><input name=c>",
    "<label>Ex <i>label</i><input type=radio name=r value=x></label><input type=radio name=r value=z required>",
    "<input type=radio name=r value=x toolparamdescription=d><input type=radio name=r value=x>",
    "<input type=radio name=r value=x disabled required><input type=radio name=r value=y>",
    "<input type=radio name=r><input type=radio name=R><input type=radio name=q><input type=checkbox name=q>",
    "<select name=s><option value=a>Apple<option> Pear \n tree <option value='' disabled>None"
    "<option value=l label=Label>Text<option></select>",
    "<select name=s required><optgroup label=G><option>x</optgroup><optgroup disabled label=H><option>z</optgroup>"
    "<hr><option hidden>q</select>",
    "<select name=s></select><select name=m multiple></select>",
    "<select name=s multiple required size=4 readonly><option value=' a  b '> a  b <option value=' a  b '>c</select>",
    "<select name=s><div><option>in it</option></div><option><b>b</b> <script>1</script></option></select>",
    "<label>Pick <select name=s><option>one</select> now</label>",
    "<label>  many   spaces\n\tand <br> lines  <input name=a></label>",
    "<label>a <b>b</b><script>c</script><style>d{}</style><template>e</template><!-- f --> g<input name=a></label>",
    "<label><img alt=alt> y <input type=hidden name=h> <input name=a></label>",
    "<label>lab <textarea name=x>text</textarea> <input name=a></label>",
    "<label>&nbsp;n&nbsp;&#x3000;&#x2003;<input name=a></label><label hidden>h <input name=b></label>",
    "<label for=several> one </label><label for=several></label><label>three <input id=several name=a></label>",
    "<label for=empty></label><label for=empty> </label><input id=empty name=a aria-description=d>",
    "<label for=none></label><input id=none name=a aria-description=d>",
    "<label for=all>1 <button>b</button><span>2 <select><option>o</select></span> <textarea>t</textarea> "
    "<output>o</output> <meter>m</meter><progress>p</progress> <asso-ciated>a</asso-ciated><plain-one>3</plain-one>"
    "<fieldset>4 <input></fieldset><b>5 <button>q</button> 6</b> 7</label><input id=all name=x>",
    "<label for=twice>L</label><input id=twice name=a><input id=twice name=b>",
    "<label>Day <input type=date name=a min=2020-01-01 required></label>",
    "<input name=a toolparamdescription='  two&#10; &quot;\\é😀'><label>L<input name=b toolparamdescription=' '></label>",
    "",
)

CASES = [
    *(
        f"<input name=a type='{kind}' {attributes}>"
        for kind, attributes in product(KINDS, ATTRIBUTES)
    ),
    *(f"<label>Lab <b>el</b> <input name=a type='{kind}'></label>" for kind in KINDS),
    *(
        f"<input name=a type='{kind}' value=1><input name=a type='{kind}' value=2 required>"
        for kind in KINDS
    ),
    *(
        f"<input name=a type={kind} min='{low}' max='{high}' step='{step}'>"
        for kind, (low, high, step) in product(("number", "range"), NUMBERS)
    ),
    *(
        f"<input name=a type={kind} step='{step}'>"
        for kind, step in product(("time", "datetime-local"), STEPS)
    ),
    *ODD,
]
"""The content of each form."""
