import HoldfastObjectModel
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport

@testable import HoldfastObjectStore

/// A store in which changes of tasks are missed by who sees them by a rule.
struct CatchUpWorld {
    private static let classes = [
        ObjectClass(
            name: "Task", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(
                    name: "owner", type: .single(.scalar(.string)), isOptional: true,
                    isIndexed: true),
                Property(name: "done", type: .single(.scalar(.bool))),
                Property(name: "list", type: .single(.object("List")), isOptional: true),
            ]),
        ObjectClass(
            name: "List", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "owner", type: .single(.scalar(.string)), isOptional: true),
                Property(name: "members", type: .list(.scalar(.string))),
                Property(
                    name: "tasks", type: .linkingObjects(className: "Task", property: "list")),
            ]),
    ]

    let store: Store
    let rule: String?
    /// By which lists are seen; nil for all.
    private let listRule: String?

    /// - `keeps`: Whether the log keeps the former values of what the rules read.
    init(
        _ engine: EngineCase = .memory, rule: String?, listRule: String? = nil, keeps: Bool = true
    ) throws {
        store = try Store(engine: try engine.open())
        try store.setSchema(Self.classes)
        (self.rule, self.listRule) = (rule, listRule)
        if keeps { try keep() }
    }

    func predicate(_ text: String, of classIndex: Int = 0) throws -> Predicate {
        try CompiledQuery.compile(
            text: text, rootClass: classIndex, schema: store.catalog.rows
        ).predicate
    }

    func keep() throws {
        let rows = store.catalog.rows
        let reads = try [rule, listRule].enumerated().flatMap { index, text in
            try text.map { try predicate($0, of: index).dependencies(rows) } ?? []
        }
        store.logPastValues(of: LoggedProperties(reads, of: rows))
    }

    func task(
        _ id: Int64, owner: String? = nil, done: Bool = false, list: Int64? = nil
    ) throws -> UInt64 {
        try store.put(
            "Task",
            [
                "id": .value(.int(id)), "owner": .value(owner.map { .string($0) } ?? .null),
                "done": .value(.bool(done)),
                "list": list.map { .link("List", .int($0)) } ?? .value(.null),
            ])
    }

    func list(_ id: Int64, owner: String? = nil, members: [String] = []) throws -> UInt64 {
        try store.put(
            "List",
            [
                "id": .value(.int(id)), "owner": .value(owner.map { .string($0) } ?? .null),
                "members": .values(members.map { .string($0) }),
            ])
    }

    func delete(_ className: String, _ id: Int64) throws -> UInt64 {
        try store.delete(className, .int(id))
    }

    /// The departures that a follower is told who knows a version, as kind and primary key; nil where that can't be told.
    ///
    /// - `start`: The version up to which they were told of what they missed; nil where of nothing.
    /// - `end`: The last version that was missed.
    func departures(
        since version: UInt64, after start: UInt64? = nil, through end: UInt64? = nil,
        filter: String? = nil
    ) throws -> Set<String>? {
        try store.reading { unrestricted in
            var rules: [Int: ClassVisibility] = [:]
            for (index, text) in [rule, listRule].enumerated() {
                rules[index] = try text.map { ClassVisibility(rule: try predicate($0, of: index)) }
            }
            let visibility = rules.isEmpty ? nil : Visibility(rules, schema: unrestricted.rows)
            let filter = try filter.map { try predicate($0) }
            let query = ObservedQuery(
                target: .objects(classIndex: 0), predicate: filter,
                filterPaths: filter?.dependencies(unrestricted.rows) ?? [],
                schema: unrestricted.rows,
                visibility: visibility)
            let read = unrestricted.restricted(to: visibility)
            let changes = try FoldedChanges(
                after: start ?? version, through: end, in: read, classes: query.pastClasses)
            let missed = CatchUpEvents(of: query, changes, since: version, in: read)
            var told: Set<String> = []
            for candidate in missed.candidates() {
                guard let event = missed.event(of: candidate) else { continue }
                if event.isUndecided { return nil }
                if event.kind == .leave || event.kind == .delete {
                    told.insert("\(event.kind) \(try id(of: event, in: unrestricted))")
                }
            }
            try read.checkFailure()
            return told
        }
    }

    /// The tasks of which those who see everything are told without a test of them that they have left, as ids, and those that are tested.
    func untested(
        since version: UInt64, filter: String
    ) throws -> (left: Set<Int64>, tested: Set<Int64>) {
        try store.reading { read in
            let filter = try predicate(filter)
            let query = ObservedQuery(
                target: .objects(classIndex: 0), predicate: filter,
                filterPaths: filter.dependencies(read.rows), schema: read.rows)
            let changes = try FoldedChanges(
                after: version, in: read, classes: query.pastClasses)
            let missed = CatchUpEvents(of: query, changes, since: version, in: read)
            var candidates = missed.candidates()
            try missed.narrow(&candidates, QueryLimits())
            func id(at position: Int) throws -> Int64 {
                let change = changes.outcomes[position]
                return try self.id(
                    of: QueryEvent(
                        kind: .leave, identity: changes.order[position], members: MemberSet(),
                        primaryKey: change.primaryKey, version: change.version), in: read)
            }
            var (left, tested): (Set<Int64>, Set<Int64>) = ([], [])
            while true {
                if let run = missed.takeDepartures(&candidates, countMax: 2) {
                    for position in run { left.insert(try id(at: position)) }
                } else if let candidate = candidates.next() {
                    if let position = candidate.position { tested.insert(try id(at: position)) }
                } else {
                    return (left, tested)
                }
            }
        }
    }

    private func id(of event: QueryEvent, in unrestricted: StoreView) throws -> Int64 {
        if let row = unrestricted.row(classIndex: 0, key: event.identity.key) {
            return unrestricted.rows.classes[0].field(0, in: row).load(Int64.self)
        }
        return event.primaryKey.withUnsafeBytes {
            $0.loadUnaligned(fromByteOffset: 1, as: Int64.self)
        }
    }

    /// The primary keys of the tasks that can be seen now.
    func seen() throws -> Set<Int64> {
        let rule = try rule.map { try predicate($0) }
        return try store.reading { read in
            var ids: Set<Int64> = []
            let query = ObjectQuery(classIndex: 0, predicate: rule)
            try QueryExecution(query, in: read).run(limit: .max) { _, row in
                ids.insert(read.rows.classes[0].field(0, in: row).load(Int64.self))
                return true
            }
            return ids
        }
    }
}
