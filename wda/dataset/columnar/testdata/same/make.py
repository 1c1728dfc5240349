"""Writes the same tables with pandas, polars, pyarrow, NumPy and DuckDB, for TestSameTable.

    python make.py        # in this folder; needs pandas, polars, pyarrow, duckdb, numpy

The name of a file is TABLE.WRITER[.WORD…].FORMAT. Words say how text differs from commas, a header and LF.
"""
import duckdb, numpy as np, pandas as pd, polars as pl, pyarrow as pa, pyarrow.feather as feather, pyarrow.parquet as pq

F = [0.5, 1.5, 2.5, -0.25, 1e-05, 12.0, 7.125, 3.5, -8.75]
G = [3.25, -1.5, 0.75, 1e21, 2.5, 0.1, 4.5, 6.5, 9.25]
LABELS = {
    "versions": ["3.1", "3.10", "3.9"],
    "codes": ["01", "1", "+1"],
    "spelled": ["1.0", "2", "1"],
    "towns": ["Köln", "Ås", 'a, "b"'],
    "words": ["-", "+", "true"],
    "integers": [1, 2, 10],
    "floats": [1.0, 2.5, 1e6],
    "missing": ["a", None, "b"],
}


def text(name, frame, **how):
    frame.to_csv(name, index=False, lineterminator=how.pop("lineterminator", "\n"), **how)


for table, labels in LABELS.items():
    label = [labels[i % 3] for i in range(len(F))]
    p = pd.DataFrame({"f": F, "g": G, "label": label})
    l = pl.DataFrame({"f": F, "g": G, "label": label})
    text(f"{table}.pandas.csv", p)
    l.write_csv(f"{table}.polars.csv")
    if table in ("versions", "towns", "integers"):
        for writer in ("pandas", "polars"):
            for word, mark in (("semicolon", ";"), ("tab", "\t"), ("noheader", ",")):
                name, header = f"{table}.{writer}.{word}.{'tsv' if word == 'tab' else 'csv'}", word != "noheader"
                if writer == "pandas":
                    text(name, p, sep=mark, header=header)
                else:
                    l.write_csv(name, separator=mark, include_header=header)
        text(f"{table}.pandas.quoted.csv", p, quoting=1)
        l.write_csv(f"{table}.polars.quoted.csv", quote_style="always")
        text(f"{table}.pandas.crlf.csv", p, lineterminator="\r\n")
        l.write_csv(f"{table}.polars.crlf.csv", line_terminator="\r\n")
        text(f"{table}.pandas.bom.csv", p, encoding="utf-8-sig")
        l.write_csv(f"{table}.polars.bom.csv", include_bom=True)
        text(f"{table}.pandas.numbered.csv", p.set_axis([0, 1, 2], axis=1))
        p.set_axis([0, 1, 2], axis=1).to_csv(f"{table}.pandas.numbered.index.csv")
    p.to_json(f"{table}.pandas.jsonl", orient="records", lines=True, double_precision=15)
    duckdb.sql("select * from l").write_parquet(f"{table}.duckdb.parquet")
    duckdb.sql(f"copy l to '{table}.duckdb.jsonl' (format json)")
    if table == "missing":
        label = [v or "" for v in label]
    np.savez(f"{table}.numpy.npz", X=np.array([F, G]).T, y=np.array(label))
    arrow = pa.Table.from_pandas(p, preserve_index=False)
    pq.write_table(arrow, f"{table}.pyarrow.parquet")
    l.write_parquet(f"{table}.polars.parquet")
    feather.write_feather(arrow, f"{table}.pyarrow.arrow", compression="uncompressed")
    l.write_ipc(f"{table}.polars.arrow")
    l.write_ipc_stream(f"{table}.polars.stream.arrow")
