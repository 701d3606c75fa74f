import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("Views that show a part")
struct VisibilityTests {
    private static let classes = [
        ObjectClass(
            name: "Task", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "owner", type: .single(.scalar(.string)), isIndexed: true),
                Property(
                    name: "note", type: .single(.scalar(.string)), isOptional: true, isIndexed: true
                ),
                Property(name: "rank", type: .single(.scalar(.int)), isIndexed: true),
                Property(name: "tags", type: .list(.scalar(.string))),
                Property(name: "list", type: .single(.object("List")), isOptional: true),
            ]),
        ObjectClass(
            name: "List", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "pinned", type: .list(.object("Task"))),
                Property(name: "extra", type: .single(.scalar(.mixed))),
                Property(
                    name: "tasks", type: .linkingObjects(className: "Task", property: "list")),
            ]),
    ]

    /// A list that holds a hundred tasks by links both ways; every tenth belongs to ann, the others to bob.
    private static func world(_ engine: EngineCase = .memory) throws -> Store {
        var options = StoreOptions()
        options.overflowLimits = .tiny
        let store = try Store(engine: try engine.open(), options: options)
        try store.setSchema(classes)
        try store.put("List", ["id": .value(.int(1))])
        try store.run(
            (0..<100).map { id in
                let content: ObjectContent = [
                    "id": .value(.int(Int64(id))),
                    "owner": .value(.string(id % 10 == 0 ? "ann" : "bob")),
                    "note": .value(.string("note \(id % 4)")), "rank": .value(.int(Int64(99 - id))),
                    "tags": .values([.string("a"), .string("b")]),
                    "list": .link("List", .int(1)),
                ]
                return .write("Task", content, key: nil, .create)
            })
        func task(_ id: Int64) -> Value { .link(className: "Task", key: .int(id)) }
        try store.put(
            "List",
            [
                "id": .value(.int(1)), "pinned": .values((0..<100).map { task($0) }),
                "extra": .value(.list([task(0), task(1), .map([Value.MapEntry("a", task(1))])])),
            ])
        return store
    }

    private static func predicate(
        _ text: String, _ name: String, _ read: ReadTransaction
    ) throws -> Predicate {
        try CompiledQuery.compile(
            text: text, rootClass: read.rows.rowClass(named: name)?.index ?? 0, schema: read.rows
        ).predicate
    }

    /// Runs `body` with a view in which tasks are those that a rule admits.
    private static func showing(
        _ rule: String?, hiding names: [String] = [], for others: String? = nil,
        _ engine: EngineCase = .memory,
        _ body: (_ shown: ReadTransaction, _ unrestricted: StoreView, _ task: RowClass) throws ->
            Void
    ) throws {
        let store = try world(engine)
        defer { store.close() }
        try store.reading { read in
            let task = try #require(read.rows.rowClass(named: "Task"))
            var hidden = MemberSet()
            for name in names { hidden.insert(try #require(task.names.position(of: name))) }
            var roles = [
                ClassVisibility.Role(
                    rule: try rule.map { try predicate($0, "Task", read) }, hidden: hidden)
            ]
            if let others {
                roles.append(ClassVisibility.Role(rule: try predicate(others, "Task", read)))
            }
            let visibility = Visibility(
                [task.index: ClassVisibility(roles: roles)], schema: read.rows)
            try body(read.restricted(to: visibility), read, task)
        }
    }

    private static func find(
        _ id: Int64, _ task: RowClass, _ read: ReadTransaction
    ) throws -> (key: UInt64, row: RowView)? {
        try read.find(task, primaryKey: try #require(OrderedKey(.int(id))))
    }

    private static func ids(
        _ filter: String?, sort: String = "", _ read: ReadTransaction, _ name: String = "Task"
    ) throws -> [UInt64] {
        let rowClass = try #require(read.rows.rowClass(named: name))
        var query = ObjectQuery(
            classIndex: rowClass.index, predicate: try filter.map { try predicate($0, name, read) })
        if !sort.isEmpty {
            query.sort = try SortKey.parse(
                list: sort, clause: "sort", root: .objects(classIndex: rowClass.index),
                schema: read.rows)
        }
        var keys: [UInt64] = []
        try QueryExecution(query, in: read).run(limit: .max) { key, _ in
            keys.append(key)
            return true
        }
        return keys
    }

    @Test("what embedded objects that hold each other link to may be hidden in both")
    func embeddedCircle() throws {
        func embedded(_ name: String, _ property: Property...) -> ObjectClass {
            ObjectClass(name: name, kind: .embedded, properties: property)
        }
        func one(_ name: String, _ target: String) -> Property {
            Property(name: name, type: .single(.object(target)), isOptional: true)
        }
        let note = ObjectClass(
            name: "Note", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))), one("outer", "Outer"),
                one("inner", "Inner"), one("plain", "Plain"),
            ])
        let store = try Shelter.open(
            .memory,
            classes: Self.classes + [
                note, embedded("Outer", one("inner", "Inner"), one("task", "Task")),
                embedded("Inner", one("outer", "Outer")), embedded("Plain", one("list", "List")),
            ])
        defer { store.close() }
        let schema = store.catalog.rows
        let links = Visibility.links(
            toAnyOf: schema.classes.map { $0.definition.name == "Task" }, schema)
        let rowClass = try #require(schema.rowClass(named: "Note"))
        #expect(links[rowClass.index].map { note.properties[$0].name } == ["outer", "inner"])
    }

    @Test(
        "an object that no rule admits is absent under either key, in scans and in counts",
        arguments: EngineCase.all)
    func absence(engine: EngineCase) throws {
        try Self.showing("owner == 'ann'", engine) { shown, unrestricted, task in
            let seen = try #require(try Self.find(10, task, shown))
            let other = try #require(try Self.find(11, task, unrestricted))
            #expect(try Self.find(11, task, shown) == nil)
            #expect(try shown.find(task, key: other.key) == nil)
            #expect(try shown.find(task, key: seen.key) != nil)
            var scanned = 0
            try shown.scan(task) { _, _ in
                scanned += 1
                return true
            }
            #expect(scanned == 10)
            #expect(try shown.count(task) == 10)
            #expect(try unrestricted.count(task) == 100)
        }
    }

    @Test("views with one sight judge by themselves, at once and after one that was given up")
    func viewsByThemselves() throws {
        let store = try Self.world()
        defer { store.close() }
        let visibility = try store.reading { read in
            let task = try #require(read.rows.rowClass(named: "Task"))
            // What is calculated takes of the view's time.
            let rule = try Self.predicate("owner == 'ann' AND rank + 1 > 0", "Task", read)
            return Visibility([task.index: ClassVisibility(rule: rule)], schema: read.rows)
        }
        func count(_ view: ReadTransaction) throws -> Int { try Self.ids(nil, view).count }
        try store.reading { before in
            let former = before.restricted(to: visibility)
            let first = try count(former)
            try store.put(
                "Task",
                [
                    "id": .value(.int(10)), "owner": .value(.string("bob")),
                    "rank": .value(.int(1)),
                ])
            let present = try store.reading { after in
                let present = try count(after.restricted(to: visibility))
                let again = try count(former)
                after.budget.fail(.time)
                return [present, again]
            }
            let last = try count(former)
            #expect([first] + present + [last] == [10, 9, 10, 10])
        }
        let later = try store.reading { read in try count(read.restricted(to: visibility)) }
        #expect(later == 9)
    }

    @Test("a row in which nothing is hidden is not copied")
    func sameRow() throws {
        try Self.showing("owner == 'ann'", hiding: ["note"], for: "rank < 50") {
            shown, unrestricted, task in
            let whole = try #require(try Self.find(60, task, shown))
            let stored = try #require(try Self.find(60, task, unrestricted))
            #expect(whole.row.base == stored.row.base && !whole.row.hidesProperties)
            let part = try #require(try Self.find(10, task, shown))
            let original = try #require(try Self.find(10, task, unrestricted))
            #expect(part.row.base != original.row.base && part.row.hidesProperties)
            #expect(part.row.version == original.row.version)
        }
    }

    @Test(
        "a property is hidden on an object where every role that admits it hides it, also one that is required"
    )
    func hiddenProperties() throws {
        try Self.showing("owner == 'ann'", hiding: ["rank", "tags"], for: "rank < 50") {
            shown, _, task in
            let (rank, tags) = (
                try #require(task.names.position(of: "rank")),
                try #require(task.names.position(of: "tags"))
            )
            let part = try #require(try Self.find(10, task, shown)).row
            #expect(task.field(rank, in: part).isNull && task.hides(rank, in: part))
            #expect(task.collection(tags, in: part, shown).count == 0)
            let whole = try #require(try Self.find(60, task, shown)).row
            #expect(!task.field(rank, in: whole).isNull && !task.hides(rank, in: whole))
            #expect(task.collection(tags, in: whole, shown).count == 2)
            #expect(try Self.find(11, task, shown) == nil)
        }
    }

    @Test(
        "filters find null in the place of what is hidden, by an index too, and orders put it there"
    )
    func hiddenIndexed() throws {
        try Self.showing(nil, hiding: ["note", "rank"], for: "owner == 'ann'") { shown, _, _ in
            #expect(try Self.ids("note == null", shown).count == 90)
            #expect(try Self.ids("note != 'note 0'", shown).count == 95)
            #expect(try Self.ids("note == 'note 1'", shown).isEmpty)
            #expect(try Self.ids("note == 'note 2'", shown).count == 5)
            #expect(try Self.ids("note == 'note 0' OR note == null", shown).count == 95)
            // Those without a rank come first, then ann's by theirs.
            let sorted = try Self.ids(nil, sort: "rank", shown)
            let ranked: [UInt64] = [91, 81, 71, 61, 51, 41, 31, 21, 11, 1]
            #expect(Array(sorted.suffix(10)) == ranked)
            let predicate = try Self.predicate("rank >= 0", "Task", shown)
            let query = ObjectQuery(classIndex: 0, predicate: predicate).counted
            #expect(try QueryExecution(query, in: shown).count() == 10)
        }
    }

    @Test(
        "links to what is absent are null, and collections, large ones too, lack them",
        arguments: EngineCase.all)
    func links(engine: EngineCase) throws {
        try Self.showing("owner == 'ann'", engine) { shown, unrestricted, task in
            let list = try #require(shown.rows.rowClass(named: "List"))
            let pinned = try #require(list.names.position(of: "pinned"))
            let row = try #require(try shown.find(list, key: 1))
            #expect(list.collection(pinned, in: row, shown).count == 10)
            let stored = try #require(try unrestricted.find(list, key: 1))
            #expect(list.field(pinned, in: stored).isOutOfLine)
            #expect(list.collection(pinned, in: stored, unrestricted).count == 100)
            #expect(
                try Self.ids("pinned.@count == 10 AND tasks.@count == 10", shown, "List") == [1])
            #expect(try Self.ids("@links.Task.list.@count == 10", shown, "List") == [1])
            // Of the mixed list task 1 goes, and is null in the map.
            #expect(try Self.ids("extra.@count == 2 AND extra[1].a == null", shown, "List") == [1])
            #expect(try Self.ids("ANY pinned.owner == 'bob'", shown, "List").isEmpty)
            #expect(try Self.ids("NONE tasks.owner == 'bob'", shown, "List") == [1])
        }
    }

    @Test("of mixed values of rows that are shown in part, the least and the greatest stay")
    func mixedExtremes() throws {
        let note = ObjectClass(
            name: "Note", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "text", type: .single(.scalar(.string))),
                Property(name: "mark", type: .single(.scalar(.mixed))),
                Property(name: "next", type: .list(.object("Note"))),
            ])
        let store = try Shelter.open(.memory, classes: [note])
        defer { store.close() }
        let marks: [Value] = [
            .int(5), .int(-4), .string("c"), .string("zz"), .int(3), .string("d"),
        ]
        for (id, mark) in marks.enumerated() {
            try store.put(
                "Note",
                [
                    "id": .value(.int(Int64(id))), "text": .value(.string("hidden")),
                    "mark": .value(mark),
                ])
        }
        try store.put(
            "Note",
            [
                "id": .value(.int(9)),
                "next": .values(
                    marks.indices.map { .link(className: "Note", key: .int(Int64($0))) }),
            ])
        try store.reading { read in
            let rowClass = try #require(read.rows.rowClass(named: "Note"))
            let text = try #require(rowClass.names.position(of: "text"))
            let roles = [ClassVisibility.Role(rule: nil, hidden: MemberSet([text]))]
            let shown = read.restricted(
                to: Visibility(
                    [rowClass.index: ClassVisibility(roles: roles)], schema: read.rows))
            for filter in [
                "next.@min.mark == -4", "next.@min.mark < 0", "next.@min.mark + 1 == -3",
                "next.@min.mark IN {-4, 7}", "next.@max.mark == 'zz'",
                "next.@max.mark BEGINSWITH 'z'",
            ] {
                for view in [read, shown] {
                    let found = try Self.ids(filter, view, "Note")
                    #expect(found.count == 1, "\(filter)")
                }
            }
        }
    }

    @Test("a hidden property links nowhere backwards either")
    func hiddenLinks() throws {
        try Self.showing(nil, hiding: ["list"], for: "owner == 'ann'") {
            (shown, _, _) throws in
            #expect(try Self.ids("tasks.@count == 10", shown, "List") == [1])
            #expect(try Self.ids("list != null", shown).count == 10)
            #expect(try Self.ids("list.id == 1", shown).count == 10)
        }
    }

    @Test("a condition that fails on objects that no rule admits does not fail")
    func failure() throws {
        let text = String(repeating: "a", count: 5000)
        let store = try Self.world()
        defer { store.close() }
        try store.put("Task", ["id": .value(.int(11)), "note": .value(.string(text + "!"))])
        try store.reading { read in
            let pattern = "note MATCHES '(a|aa)+b'"
            let task = try #require(read.rows.rowClass(named: "Task"))
            let rule = try Self.predicate("owner == 'ann'", "Task", read)
            let shown = read.restricted(
                to: Visibility([task.index: ClassVisibility(rule: rule)], schema: read.rows))
            #expect(try Self.ids(pattern, shown).isEmpty)
            try shown.checkFailure()
        }
    }

    @Test("a list costs what the rule's index says, and a class without rules is read as ever")
    func plans() throws {
        try Self.showing("owner == 'ann'") { shown, unrestricted, task in
            var query = ObjectQuery(classIndex: task.index, expectedCount: 5)
            let execution = try QueryExecution(query, in: shown)
            var keys: [UInt64] = []
            try execution.run(limit: 5) { key, _ in
                keys.append(key)
                return true
            }
            #expect(keys.count == 5)
            guard case .index? = execution.plan.source else {
                Issue.record("\(execution.plan)")
                return
            }
            #expect(execution.statistics.rowsRead <= 5)
            query.predicate = try Self.predicate("rank > 40", "Task", shown)
            #expect(try QueryExecution(query.counted, in: shown).count() == 6)
            #expect(try QueryExecution(query.counted, in: unrestricted).count() == 59)
        }
    }

    @Test("of objects that an index finds by the beginning of a long text, the rule decides")
    func longTexts() throws {
        let store = try Self.world()
        defer { store.close() }
        let long = String(repeating: "x", count: 5000)
        try store.run(
            (1000..<1010).map { id in
                let content: ObjectContent = [
                    "id": .value(.int(Int64(id))),
                    "owner": .value(.string(long + (id % 2 == 0 ? "a" : "b"))),
                    "rank": .value(.int(1)),
                ]
                return .write("Task", content, key: nil, .create)
            })
        try store.reading { read in
            let task = try #require(read.rows.rowClass(named: "Task"))
            for rule in ["owner == '\(long)a'", "owner BEGINSWITH '\(long)a'"] {
                let shown = read.restricted(
                    to: Visibility(
                        [task.index: ClassVisibility(rule: try Self.predicate(rule, "Task", read))],
                        schema: read.rows))
                #expect(try Self.ids(nil, shown).count == 5)
                #expect(try Self.ids("rank == 1", shown).count == 5)
                #expect(try Self.ids(nil, sort: "owner", shown).count == 5)
            }
        }
    }

    @Test("hidden rows before the first visible one pay for a scan that another plan is to end")
    func hiddenRowsPay() throws {
        let store = try Self.world()
        defer { store.close() }
        func write(_ name: String, _ objects: [ObjectContent]) throws {
            try store.run(objects.map { .write(name, $0, key: nil, .create) })
        }
        try write("List", (1000..<3000).map { ["id": .value(.int($0))] })
        try write(
            "Task",
            (1000..<5000).map { id in
                [
                    "id": .value(.int(id)), "owner": .value(.string("ann")),
                    "rank": .value(.int(id)), "list": .link("List", .int(1000 + id % 2000)),
                ]
            })
        try store.reading { read in
            let task = try #require(read.rows.rowClass(named: "Task"))
            let rule = try Self.predicate("list.id >= 2900", "Task", read)
            let shown = read.restricted(
                to: Visibility([task.index: ClassVisibility(rule: rule)], schema: read.rows))
            let before = shown.entriesRead
            let query = ObjectQuery(classIndex: task.index, expectedCount: 20)
            var count = 0
            try QueryExecution(query, in: shown).run(limit: 20) { _, _ in
                count += 1
                return true
            }
            #expect(count == 20)
            #expect(shown.entriesRead - before < 1000)
        }
    }
}
