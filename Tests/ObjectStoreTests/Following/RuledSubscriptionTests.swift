import HoldfastObjectModel
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

@testable import HoldfastObjectStore

@Suite("Who is told of a step behind a link that rules follow")
struct RuledSubscriptionTests {
    private static let classes = [
        ObjectClass(
            name: "Task", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "list", type: .single(.object("List")), isOptional: true),
                Property(name: "others", type: .list(.object("List"))),
            ]),
        ObjectClass(
            name: "List", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "members", type: .set(.object("Person"))),
                Property(name: "limit", type: .single(.scalar(.int))),
                Property(name: "owner", type: .single(.object("Person")), isOptional: true),
            ]),
        ObjectClass(
            name: "Person", primaryKey: "id",
            properties: [Property(name: "id", type: .single(.scalar(.string)))]),
    ]

    /// A list with tasks, and the channels of users who follow its tasks.
    private struct World {
        let store: Store
        let index: SubscriptionIndex
        var channels: [String: SilentChannel] = [:]

        /// - `rule`: The rule of tasks, in which `$0` is the user.
        init(
            tasks: Int, users: [String], rule: String = "ANY list.members == $0",
            filter: String? = nil
        ) throws {
            store = try Store(engine: EngineCase.memory.open())
            try store.setSchema(RuledSubscriptionTests.classes)
            for person in ["ann", "bob", "cem", "dee"] {
                _ = try store.put("Person", ["id": .value(.string(person))])
            }
            _ = try Self.setList(in: store, members: ["ann", "bob"], limit: 1)
            for id in 0..<tasks {
                _ = try store.put(
                    "Task", ["id": .value(.int(Int64(id))), "list": .link("List", .int(1))])
            }
            let rows = store.catalog.rows
            index = SubscriptionIndex(rows, allowance: FeedAllowance(milliseconds: 3_600_000))
            let tasks = try #require(rows.classIndex["Task"])
            let lists = try #require(rows.classIndex["List"])
            func predicate(_ text: String, _ classIndex: Int, _ user: String) throws -> Predicate {
                try CompiledQuery.compile(
                    text: text.replacing("$0", with: "'\(user)'"), rootClass: classIndex,
                    schema: rows
                ).predicate
            }
            // Nobody knows of people, nor of the members of lists, which rules read all the same.
            let unknown = UnknownNames(
                classes: filter == nil ? [try #require(rows.classIndex["Person"])] : [],
                properties: [:], of: rows)
            for user in users {
                let visibility = Visibility(
                    [
                        tasks: ClassVisibility(rule: try predicate(rule, tasks, user)),
                        lists: ClassVisibility(
                            rule: try predicate("ANY members == $0", lists, user)),
                    ], schema: rows, rows: RowSchema(rows, without: unknown))
                let own = try filter.map { try predicate($0, tasks, user) }
                let channel = SilentChannel(
                    ObservedQuery(
                        target: .objects(classIndex: tasks), predicate: own,
                        filterPaths: own?.dependencies(rows) ?? [], schema: visibility.rows,
                        visibility: visibility
                    ))
                channels[user] = channel
                index.add(channel)
            }
        }

        static func setList(
            in store: Store, members: [String], limit: Int64
        ) throws -> UInt64 {
            try store.put(
                "List",
                [
                    "id": .value(.int(1)),
                    "members": .values(
                        members.map { .link(className: "Person", key: .string($0)) }),
                    "limit": .value(.int(limit)),
                ])
        }

        /// The events of a change of the list by user, and who catches up with it.
        func told(members: [String], limit: Int64 = 1) throws
            -> (told: [String: [QueryEvent.Kind]], deferred: Set<String>)
        {
            try told { _ = try Self.setList(in: store, members: members, limit: limit) }
        }

        /// The events of changes, as one step, by user, and who catches up with them.
        func told(_ change: () throws -> Void) throws
            -> (told: [String: [QueryEvent.Kind]], deferred: Set<String>)
        {
            let before = try store.read()
            defer { before.close() }
            try change()
            let after = try store.read()
            defer { after.close() }
            let step = ChangeStep(
                before: before, after: after,
                changes: try FoldedChanges(after: before.state().version, in: after))
            let findings = index.findings(of: step, within: 3_600_000)
            func user(_ channel: any FeedChannel) -> String {
                channels.first { $0.value === channel }?.key ?? "?"
            }
            var told: [String: [QueryEvent.Kind]] = [:]
            for (channel, events) in findings.told { told[user(channel)] = events.map(\.kind) }
            return (told, Set(findings.deferred.map(user)))
        }
    }

    @Test("who joins or leaves a list is told of its tasks, and the other members of nothing")
    func joins() throws {
        let world = try World(tasks: 2, users: ["ann", "bob", "cem", "dee"])
        let joined = try world.told(members: ["ann", "bob", "cem"])
        #expect(joined.told == ["cem": [.enter, .enter]] && joined.deferred == [])
        let changed = try world.told(members: ["ann", "cem", "dee"])
        #expect(changed.told == ["bob": [.leave, .leave], "dee": [.enter, .enter]])
        #expect(try world.told(members: ["ann", "cem", "dee"], limit: 2).told == [:])
    }

    @Test(
        "what is hidden and then deleted within one step has left, and what is deleted in sight is deleted"
    )
    func hiddenAndDeleted() throws {
        let world = try World(tasks: 3, users: ["ann", "bob"])
        let hidden = try world.told {
            _ = try world.store.put("Task", ["id": .value(.int(0)), "list": .null])
            _ = try world.store.delete("Task", .int(0))
            _ = try world.store.delete("Task", .int(1))
        }
        #expect(hidden.told == ["ann": [.leave, .delete], "bob": [.leave, .delete]])
        #expect(
            try world.told { _ = try world.store.delete("Task", .int(2)) }.told["ann"] == [.delete])
        let left = try World(tasks: 1, users: ["ann", "bob"])
        let told = try left.told {
            _ = try World.setList(in: left.store, members: ["ann"], limit: 1)
            _ = try left.store.delete("Task", .int(0))
        }
        #expect(told.told["bob"] == [.leave], "\(told.told)")
    }

    @Test("of several objects behind a link, one whose own link is taken away counts no more")
    func withoutOwner() throws {
        let world = try World(tasks: 1, users: ["bob"], rule: "ANY others.owner.id != $0")
        func setOwner(_ owner: String?) throws {
            _ = try world.store.put(
                "List",
                [
                    "id": .value(.int(1)), "limit": .value(.int(1)),
                    "owner": owner.map { .link("Person", .string($0)) } ?? .value(.null),
                ])
        }
        try setOwner("ann")
        let shared = try world.told {
            _ = try world.store.put(
                "Task",
                [
                    "id": .value(.int(0)),
                    "others": .values([.link(className: "List", key: .int(1))]),
                ])
        }
        #expect(shared.told == ["bob": [.enter]])
        #expect(try world.told { try setOwner(nil) }.told == ["bob": [.leave]])
        #expect(try world.told { try setOwner("cem") }.told == ["bob": [.enter]])
    }

    @Test("of a list with more tasks than a step tests only who joins it catches up")
    func wide() throws {
        let world = try World(tasks: 1_500, users: ["ann", "bob", "cem"])
        let joined = try world.told(members: ["ann", "bob", "cem"])
        #expect(joined.deferred == ["cem"])
        #expect(joined.told["ann"] == nil && joined.told["bob"] == nil)
    }

    @Test("a rule that asks more of the members, and a filter that reads them, are told of all")
    func others() throws {
        let counted = try World(
            tasks: 1, users: ["ann", "cem"],
            rule: "ANY list.members == $0 AND list.members.@count > 2")
        #expect(
            try counted.told(members: ["ann", "bob", "cem"]).told == [
                "ann": [.enter], "cem": [.enter],
            ])
        let calculated = try World(
            tasks: 1, users: ["ann"], rule: "ANY list.members == $0 AND list.limit + 1 > list.limit"
        )
        #expect(try calculated.told(members: ["ann", "bob"], limit: 2).told == ["ann": [.update]])
        let filtered = try World(
            tasks: 1, users: ["ann", "bob"], filter: "list.members.@count > 1")
        #expect(
            try filtered.told(members: ["ann", "bob", "cem"]).told == [
                "ann": [.update], "bob": [.update],
            ])
    }
}
