import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastTestSupport
import Testing

@Suite("missing indexes")
struct MissingIndexTests {
    private static let schema = Schema(classes: [
        ObjectClass(
            name: "City", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "name", type: .single(.scalar(.string)), isIndexed: true),
                Property(name: "size", type: .single(.scalar(.int))),
                Property(name: "ratio", type: .single(.scalar(.double))),
                Property(name: "flag", type: .single(.scalar(.data))),
                Property(name: "text", type: .single(.scalar(.string))),
                Property(
                    name: "notes", type: .single(.scalar(.string)), searchIndex: .fullText),
                Property(name: "sizes", type: .list(.scalar(.int))),
                Property(name: "country", type: .single(.object("Country")), isOptional: true),
            ]),
        ObjectClass(
            name: "Country", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "code", type: .single(.scalar(.string))),
            ]),
    ])

    @Test(
        "a query lacks the index of a property that it compares, else of the one by which it sorts",
        arguments: [
            ("size > 5", "", "size"), ("name == 'x'", "", nil), ("id == 3", "", nil),
            ("name == 'x' AND size == 1", "", "size"), ("size != 5", "", nil),
            ("NOT size == 5", "", nil), ("NOT size > 5", "", "size"),
            ("size IN {1, 2}", "", "size"),
            ("size == null", "", "size"), ("size == 1 OR ratio > 2", "", "size"),
            ("name == 'x' OR ratio > 2", "", "ratio"), ("size == 1 OR text CONTAINS 'x'", "", nil),
            ("text CONTAINS 'x'", "", nil), ("text MATCHES 'x.*'", "", nil),
            ("text BEGINSWITH 'x'", "", "text"), ("text BEGINSWITH[c] 'x'", "", nil),
            ("text LIKE 'x*'", "", "text"), ("text LIKE '*x'", "", nil),
            ("ANY sizes == 3", "", nil), ("size + 1 > 3", "", nil),
            ("size == ratio", "", nil), ("notes TEXT 'x'", "", nil),
            ("sizes.@count > 3", "", nil), ("country.code == 'CH'", "", "Country.code"),
            ("country.id == 3", "", nil), ("text CONTAINS 'x'", "ratio,size", "ratio"),
            ("text CONTAINS 'x'", "-name", nil), ("size > 5", "ratio", "size"),
            ("", "country.code", nil), ("", "size", "size"), ("", "flag", nil),
        ] as [(String, String, String?)])
    func properties(filter: String, sort: String, expected: String?) throws {
        let store = try Store(engine: try EngineCase.memory.open())
        defer { store.close() }
        try store.setSchema(Self.schema.classes)
        let read = try store.read()
        defer { read.close() }
        let rows = read.rows
        let city = try #require(rows.rowClass(named: "City"))
        let predicate =
            filter.isEmpty
            ? nil
            : try CompiledQuery.compile(text: filter, rootClass: city.index, schema: rows).predicate
        let keys =
            sort.isEmpty
            ? []
            : try SortKey.parse(
                list: sort, clause: "sort", root: .objects(classIndex: city.index), schema: rows)
        let found = MissingIndex(of: predicate, sort: keys, rowClass: city, rows).map { index in
            let name = index.rowClass.definition.properties[index.member].name
            return index.rowClass === city ? name : "\(index.rowClass.definition.name).\(name)"
        }
        #expect(found == expected, "\(filter) \(sort)")
    }
}
