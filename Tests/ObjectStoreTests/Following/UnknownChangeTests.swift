import HoldfastObjectModel
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

@testable import HoldfastObjectStore

@Suite("What a change of what users have no name of means to them")
struct UnknownChangeTests {
    private static let note = ObjectClass(
        name: "Note", primaryKey: "id",
        properties: [
            Property(name: "id", type: .single(.scalar(.int))),
            Property(name: "owner", type: .single(.scalar(.string))),
            Property(name: "score", type: .single(.scalar(.int))),
            Property(name: "secret", type: .single(.scalar(.int))),
        ])

    private let store: Store
    private let rowClass: RowClass

    init() throws {
        store = try Store(engine: EngineCase.memory.open())
        try store.setSchema([Self.note])
        rowClass = try #require(store.catalog.rows.rowClass(named: "Note"))
        try put(owner: "ann", score: 1, secret: 1)
    }

    private func put(owner: String, score: Int64, secret: Int64) throws {
        _ = try store.put(
            "Note",
            [
                "id": .value(.int(1)), "owner": .value(.string(owner)),
                "score": .value(.int(score)), "secret": .value(.int(secret)),
            ])
    }

    private func members(_ names: [String]) throws -> MemberSet {
        MemberSet(try names.map { try #require(rowClass.names.position(of: $0)) })
    }

    /// A query of all notes under roles, each of a rule and what it hides; nobody has a name of the secret.
    private func query(
        _ roles: [(rule: String, hidden: [String])], _ filter: String? = nil
    ) throws -> ObservedQuery {
        let rows = store.catalog.rows
        func predicate(_ text: String) throws -> Predicate {
            try CompiledQuery.compile(text: text, rootClass: rowClass.index, schema: rows).predicate
        }
        let own = ClassVisibility(
            roles: try roles.map {
                ClassVisibility.Role(rule: try predicate($0.rule), hidden: try members($0.hidden))
            })
        let unknown = UnknownNames(
            classes: [], properties: [rowClass.index: try members(["secret"])], of: rows)
        let visibility = Visibility(
            [rowClass.index: own], schema: rows, rows: RowSchema(rows, without: unknown))
        let filter = try filter.map(predicate)
        return ObservedQuery(
            target: .objects(classIndex: rowClass.index), predicate: filter,
            filterPaths: filter?.dependencies(rows) ?? [], schema: visibility.rows,
            visibility: visibility)
    }

    /// The events of a change of the note.
    private func events(
        _ query: ObservedQuery, owner: String, score: Int64, secret: Int64
    ) throws -> [QueryEvent] {
        let before = try store.read()
        defer { before.close() }
        try put(owner: owner, score: score, secret: secret)
        let after = try store.read()
        defer { after.close() }
        let changes = try FoldedChanges(after: before.state().version, in: after)
        return query.events(changes, before: before, after: after)
    }

    @Test("it lets objects enter and leave")
    func deciding() throws {
        let query = try query([("owner == 'ann' AND secret < 5", ["secret"])])
        #expect(query.showsStored && query.showing == nil)
        #expect(try events(query, owner: "ann", score: 2, secret: 3).map(\.kind) == [.update])
        #expect(try events(query, owner: "ann", score: 2, secret: 5).map(\.kind) == [.leave])
        #expect(try events(query, owner: "ann", score: 3, secret: 6).isEmpty)
        #expect(try events(query, owner: "ann", score: 3, secret: 4).map(\.kind) == [.enter])
    }

    @Test("where it decides what else is seen, it is an update")
    func revealing() throws {
        let query = try query([
            ("owner == 'ann'", ["score", "secret"]), ("secret == 2", ["secret"]),
        ])
        #expect(!query.showsStored && query.showing == nil)
        #expect(try events(query, owner: "ann", score: 1, secret: 2).map(\.kind) == [.update])
        #expect(try events(query, owner: "bob", score: 1, secret: 2).map(\.kind) == [.update])
        #expect(try events(query, owner: "bob", score: 1, secret: 1).map(\.kind) == [.leave])
    }

    @Test("a filter on what is hidden on some objects is asked of what is shown")
    func hiddenFilter() throws {
        let roles: [(rule: String, hidden: [String])] = [
            ("owner == 'ann'", ["score", "secret"]), ("secret == 2", ["secret"]),
        ]
        let query = try query(roles, "score == 1")
        #expect(query.showing != nil)
        #expect(try events(query, owner: "ann", score: 1, secret: 3).isEmpty)
        #expect(try events(query, owner: "ann", score: 1, secret: 2).map(\.kind) == [.enter])
    }
}
