import HoldfastObjectModel
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

@testable import HoldfastObjectStore

@Suite("What followers are told of missed changes")
struct CatchUpEventsTests {
    @Test(
        "the log keeps of changed and deleted objects what rules read, as it was before the transaction",
        arguments: EngineCase.all)
    func kept(engine: EngineCase) throws {
        let world = try CatchUpWorld(engine, rule: "owner == 'ann' AND ANY list.members == 'ann'")
        let store = world.store
        defer { store.close() }
        _ = try world.list(1, members: ["ann"])
        _ = try world.task(1, owner: "ann", list: 1)
        let rows = store.catalog.rows
        func former(_ body: () throws -> UInt64) throws -> [[String: [UInt8]]] {
            let version = try body()
            return try store.changes(after: version - 1).outcomes.map { change in
                change.former.flatMap(\.values).reduce(into: [:]) { values, value in
                    values[rows.classes[0].definition.properties[value.member].name] = value.tagged
                }
            }
        }
        let ann = [1] + Array("ann".utf8)
        #expect(try former { try world.task(1, owner: "ann", done: true, list: 1) } == [[:]])
        #expect(
            try former { try world.task(1, owner: "bob", done: true, list: 1) } == [["owner": ann]])
        // Of several changes by one transaction the first one's.
        let bob = [1] + Array("bob".utf8)
        func owner(_ name: String?) -> ObjectScript.Operation {
            .write(
                "Task",
                ["id": .value(.int(1)), "owner": .value(name.map { .string($0) } ?? .null)],
                key: nil, .merge)
        }
        #expect(try former { try store.run([owner("cem"), owner(nil)]) } == [["owner": bob]])
        let gone = try former {
            try store.run([owner("cem"), .delete(Identity("Task", .int(1)))])
        }
        #expect(gone.count == 1 && gone[0]["owner"] == [0] && gone[0]["list"]?.count == 9)
        #expect(gone[0]["done"] == nil)
        // What comes and goes in one transaction was nothing before.
        #expect(
            try former { try store.run([owner("cem"), .delete(Identity("Task", .int(1)))]) }
                == [[:]])
        #expect(try store.findings() == [])
    }

    @Test(
        "a class of which no rule reads anything has the same entries, and large values are left out"
    )
    func cost() throws {
        func byteCount(keeps: Bool, rule: String, members: Int) throws -> UInt64 {
            let world = try CatchUpWorld(rule: rule, keeps: keeps)
            defer { world.store.close() }
            for name in ["b", "c"] {
                _ = try world.list(1, members: Array(repeating: name, count: members))
                _ = try world.task(1, owner: name, list: 1)
            }
            _ = try world.delete("Task", 1)
            _ = try world.delete("List", 1)
            return try world.store.reading { try $0.state().logByteCount }
        }
        let plain = try byteCount(keeps: false, rule: "owner == 'ann'", members: 4)
        #expect(try byteCount(keeps: true, rule: "id == 3", members: 4) == plain)
        // Twice the number of values, number, count, tag and a letter.
        #expect(try byteCount(keeps: true, rule: "owner == 'ann'", members: 4) == plain + 2 * 5)
        let large = try byteCount(keeps: false, rule: "ANY list.members == 'a'", members: 9000)
        let kept = try byteCount(keeps: true, rule: "ANY list.members == 'a'", members: 9000)
        // The task's link alone.
        #expect(kept - large < 20)
    }

    @Test(
        "of one transaction 4 MiB of large values are kept, and the changes that are read at once have a bound of them"
    )
    func bounds() throws {
        let world = try CatchUpWorld(rule: "ANY list.members == 'ann'")
        defer { world.store.close() }
        let members = ["ann"] + Array(repeating: String(repeating: "x", count: 1000), count: 15)
        func write(_ ids: ClosedRange<Int64>, _ members: [String]) throws -> UInt64 {
            try world.store.run(
                ids.map { id in
                    .write(
                        "List",
                        [
                            "id": .value(.int(id)),
                            "members": .values(members.map { .string($0) }),
                        ], key: nil, .merge)
                })
        }
        let start = try write(1...300, members)
        let large = try write(1...300, [])
        let kept = try world.store.changes(after: start).outcomes.count { !$0.former.isEmpty }
        #expect((4 << 20) / 16_384...(4 << 20) / 15_000 ~= kept)
        _ = try write(1...2, members)
        let last = try write(1...2, [])
        try world.store.reading { read in
            let all = try FoldedChanges(after: large, in: read, formerByteCountMax: 40_000)
            #expect(all.through == last)
            let cut = try FoldedChanges(after: start, in: read, formerByteCountMax: 1 << 20)
            #expect(cut.through == large)
            let none = try FoldedChanges(after: start, in: read, formerByteCountMax: 0)
            #expect(none.through == last && none.outcomes.allSatisfy(\.former.isEmpty))
        }
    }

    @Test("a departure is told of what could be seen since the cursor, and of nothing else")
    func departures() throws {
        let world = try CatchUpWorld(rule: "owner == 'ann'")
        defer { world.store.close() }
        _ = try world.task(1, owner: "ann")
        _ = try world.task(2, owner: "bob")
        let start = try world.task(3, owner: "bob")
        _ = try world.task(1, owner: "bob")
        _ = try world.task(2, owner: "cem")
        let middle = try world.task(3, owner: "ann")
        _ = try world.delete("Task", 3)
        let late = try world.delete("Task", 1)
        _ = try world.delete("Task", 2)
        _ = try world.task(4, owner: "ann")
        _ = try world.task(4, owner: "bob")
        #expect(try world.departures(since: start) == ["leave 1", "delete 3", "leave 4"])
        #expect(try world.departures(since: middle) == ["delete 3", "leave 4"])
        #expect(try world.departures(since: late) == ["leave 4"])
    }

    @Test("where an index finds what matches, the others leave without a test of them")
    func untested() throws {
        let world = try CatchUpWorld(rule: nil, keeps: false)
        defer { world.store.close() }
        for id: Int64 in 1...8 { _ = try world.task(id, owner: id < 3 ? "ann" : "bob") }
        let start = world.store.version.number
        for id: Int64 in [1, 3, 4, 5] { _ = try world.task(id, owner: "cem") }
        _ = try world.task(6, owner: "bob", done: true)
        _ = try world.delete("Task", 7)
        _ = try world.task(8, owner: "ann")
        _ = try world.task(9, owner: "bob")
        let filter = "owner == 'ann'"
        let told = try world.departures(since: start, filter: filter)
        #expect(told == ["leave 1", "leave 3", "leave 4", "leave 5", "delete 7"])
        let found = try world.untested(since: start, filter: filter)
        #expect(found.left == [1, 3, 4, 5])
        // Of what was deleted its past is asked.
        #expect(found.tested.isSuperset(of: [7, 8]))
        // Without an index each is tested.
        #expect(try world.untested(since: start, filter: "done == true").left.isEmpty)
        // Nobody of that name is found.
        #expect(try world.untested(since: start, filter: "owner == 'dan'").left == [1, 3, 4, 5, 8])
    }

    @Test("a rule that reads behind links is asked of what was there")
    func links() throws {
        let world = try CatchUpWorld(rule: "list.owner == 'ann' OR ANY list.members == 'ann'")
        defer { world.store.close() }
        _ = try world.list(1, owner: "ann")
        _ = try world.list(2, members: ["bob"])
        for id: Int64 in 1...4 { _ = try world.task(id, list: id % 2 + 1) }
        var start = world.store.version.number
        _ = try world.list(1, owner: "bob")
        #expect(try world.departures(since: start) == ["leave 2", "leave 4"])
        _ = try world.delete("Task", 2)
        _ = try world.delete("Task", 1)
        #expect(try world.departures(since: start) == ["leave 2", "leave 4"])
        _ = try world.delete("List", 1)
        #expect(try world.departures(since: start) == ["leave 2", "leave 4"])
        start = try world.list(2, members: ["ann", "bob"])
        _ = try world.task(3)
        _ = try world.delete("List", 2)
        #expect(try world.departures(since: start) == ["leave 3"])
    }

    @Test("however many others change, an object is looked at where it may be otherwise alone")
    func manyOthers() throws {
        let world = try CatchUpWorld(rule: "list.owner == 'ann'")
        defer { world.store.close() }
        let ids: ClosedRange<Int64> = 1...100
        for id in ids {
            _ = try world.list(id, owner: id % 2 == 0 ? "ann" : "bob")
            _ = try world.task(id, list: id)
        }
        let start = world.store.version.number
        for id in ids { _ = try world.list(id, owner: "cem") }
        let told = try world.departures(since: start, filter: "list.members.@count == 0")
        #expect(told == Set(ids.filter { $0 % 2 == 0 }.map { "leave \($0)" }))
    }

    @Test("with a thousand members of a list it is decided whom one more or less concerns")
    func manyMembers() throws {
        let world = try CatchUpWorld(rule: "ANY list.members == 'ann'")
        defer { world.store.close() }
        let others = (0..<1000).map { "member \($0)" }
        _ = try world.list(1, members: others + ["ann"])
        for id: Int64 in 1...3 { _ = try world.task(id, list: 1) }
        let start = world.store.version.number
        _ = try world.list(1, members: others + ["ann", "bob"])
        #expect(try world.departures(since: start) == [])
        _ = try world.list(1, members: others)
        #expect(try world.departures(since: start) == ["leave 1", "leave 2", "leave 3"])
    }

    @Test("of several objects behind one that came and went each departs")
    func shared() throws {
        let world = try CatchUpWorld(rule: "ANY list.members == 'ann'")
        defer { world.store.close() }
        _ = try world.list(1, members: ["bob"])
        for id: Int64 in 1...3 { _ = try world.task(id, list: 1) }
        let start = world.store.version.number
        let joined = try world.list(1, members: ["ann", "bob"])
        _ = try world.list(1, members: ["bob"])
        let told = try world.departures(since: start, after: joined)
        #expect(told == ["leave 1", "leave 2", "leave 3"])
    }

    @Test("where the log does not tell, nothing is told object by object")
    func undecided() throws {
        let world = try CatchUpWorld(rule: "owner == 'ann'", keeps: false)
        defer { world.store.close() }
        let start = try world.task(1, owner: "bob")
        _ = try world.task(1, owner: "cem", done: true)
        #expect(try world.departures(since: start) == nil)
        try world.keep()
        let later = world.store.version.number
        _ = try world.task(1, owner: "bob")
        #expect(try world.departures(since: later) == [])
        #expect(try world.departures(since: start) == nil)
    }

    @Test(
        "a filter along a link is not known to have failed where it may have led to something that was seen"
    )
    func hiddenTargets() throws {
        for keeps in [false, true] {
            let world = try CatchUpWorld(rule: nil, listRule: "owner == 'ann'", keeps: keeps)
            defer { world.store.close() }
            _ = try world.list(1, owner: "ann")
            _ = try world.task(1, list: 1)
            let before = try world.task(2, list: 1)
            _ = try world.list(1, owner: "bob")
            #expect(
                try world.departures(since: before, filter: "list.owner == 'ann'")
                    == ["leave 1", "leave 2"])
            // What is false of the object's own values is false whatever its link led to.
            #expect(
                try world.departures(since: before, filter: "id == 1 AND list.owner == 'ann'")
                    == ["leave 1"])
        }
    }

    @Test(
        "an object that may have been seen, and to which a link may have led that was, concerns whom it leads back to"
    )
    func unknownWays() throws {
        let world = try CatchUpWorld(rule: "owner == 'ann'", keeps: false)
        defer { world.store.close() }
        _ = try world.list(1)
        _ = try world.task(1, owner: "ann", list: 1)
        let before = try world.task(2, owner: "ann", list: 1)
        _ = try world.task(2, owner: "bob", list: 1)
        #expect(
            try world.departures(since: before, filter: "id == 1 AND list.tasks.@count == 2")
                == nil)
    }

    @Test("a rule that reads inverse links is asked of those that were there")
    func inverse() throws {
        let world = try CatchUpWorld(rule: "ANY list.tasks.done == true")
        defer { world.store.close() }
        for list: Int64 in 1...2 { _ = try world.list(list) }
        _ = try world.task(1, done: true, list: 1)
        _ = try world.task(2, list: 1)
        let start = try world.task(3, list: 2)
        let moved = try world.task(1, done: true, list: 2)
        #expect(try world.departures(since: start) == ["leave 2"])
        _ = try world.delete("Task", 1)
        #expect(try world.departures(since: start) == ["leave 2", "leave 3", "delete 1"])
        #expect(try world.departures(since: moved) == ["leave 3", "delete 1"])
        _ = try world.task(4, done: true, list: 1)
        _ = try world.delete("Task", 4)
        let told = try world.departures(since: moved)
        #expect(told == ["leave 2", "leave 3", "delete 1", "delete 4"])
        // The list itself goes, and with it the link.
        let late = try world.task(5, done: true, list: 2)
        _ = try world.delete("List", 2)
        #expect(try world.departures(since: late) == ["leave 3", "leave 5"])
    }

    @Test(
        "a filter is asked of primary keys and of what has not changed before a departure is told")
    func filters() throws {
        let world = try CatchUpWorld(rule: nil)
        defer { world.store.close() }
        _ = try world.list(1, owner: "ann")
        for id: Int64 in 1...4 { _ = try world.task(id, owner: "ann", list: 1) }
        let start = world.store.version.number
        _ = try world.task(1, owner: "ann", done: true, list: 1)
        _ = try world.task(2, owner: "bob", list: 1)
        _ = try world.delete("Task", 3)
        func told(_ filter: String) throws -> Set<String>? {
            try world.departures(since: start, filter: filter)
        }
        #expect(try told("id == 4") == [])
        #expect(try told("id == 3") == ["delete 3"])
        #expect(try told("id > 1 AND done == false AND owner == 'ann'") == ["leave 2", "delete 3"])
        #expect(try told("owner == 'cem' AND done == false") == ["leave 2", "delete 3"])
        #expect(try told("list.owner == 'bob' AND done == false") == ["delete 3"])
        #expect(try told("list.owner == 'ann' AND done == false") == ["leave 1", "delete 3"])
    }

    @Test("what has changed again behind the changes departs as it was in them")
    func later() throws {
        for rule in [nil, "list.owner == 'ann'"] {
            let world = try CatchUpWorld(rule: rule)
            defer { world.store.close() }
            _ = try world.list(1, owner: "ann")
            _ = try world.list(2, owner: "bob")
            _ = try world.task(1, list: 1)
            let start = try world.task(2, list: 2)
            let end = try world.list(1, owner: "bob")
            _ = try world.list(2, owner: "cem")
            _ = try world.task(1, done: true, list: 1)
            _ = try world.task(2, done: true, list: 2)
            let told = try world.departures(
                since: start, through: end, filter: "list.owner == 'ann'")
            #expect(told == ["leave 1"], "\(rule ?? "")")
        }
    }

    @Test("what had left before the changes, and could not be told of by then, departs with them")
    func leftBefore() throws {
        for rule in [nil, "list.owner == 'ann'"] {
            let world = try CatchUpWorld(rule: rule)
            defer { world.store.close() }
            _ = try world.list(1, owner: "ann")
            _ = try world.list(2, owner: "bob")
            for id: Int64 in 1...3 { _ = try world.task(id, list: id == 3 ? 2 : 1) }
            let start = world.store.version.number
            _ = try world.task(1, list: 2)
            let middle = try world.list(1, owner: "bob")
            for id: Int64 in 1...3 { _ = try world.delete("Task", id) }
            func told(after version: UInt64, _ filter: String) throws -> Set<String>? {
                try world.departures(since: start, after: version, filter: filter)
            }
            let filter = "list.owner == 'ann' AND id != 2"
            // Who may read everything is told in case of doubt.
            let all: Set = ["delete 1", "delete 3"]
            #expect(try told(after: middle, filter) == (rule == nil ? all : ["leave 1"]))
            #expect(
                try told(after: middle, "id == 2") == [rule == nil ? "delete 2" : "leave 2"])
            let late = try world.departures(since: middle, filter: filter)
            #expect(late == (rule == nil ? all : []))
        }
    }

    private static let rules = [
        "owner == 'ann'", "id > 5", "list.owner == 'ann'", "ANY list.members == 'ann'",
        "done == true AND list.owner == 'ann' OR owner == 'ann'",
        "list.id == 2 AND NOT owner == 'bob'",
        "list == nil AND owner != nil",
    ]

    @Test("what is told is what could be seen at some version since, over random changes")
    func random() throws {
        let seed = SeededGenerator.testSeed("missed events")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<SeededGenerator.scaled(100) {
            let rule = Self.rules[Int.random(in: Self.rules.indices, using: &random)]
            let world = try CatchUpWorld(rule: rule)
            defer { world.store.close() }
            var moments = [(world.store.version.number, try world.seen())]
            func name() -> String? {
                ["ann", "bob", nil][Int.random(in: 0..<3, using: &random)]
            }
            for _ in 0..<40 {
                let (id, list) = (
                    Int64.random(in: 1...8, using: &random), Int64.random(in: 1...3, using: &random)
                )
                do {
                    switch Int.random(in: 0..<8, using: &random) {
                    case 0: _ = try world.delete("Task", id)
                    case 1: _ = try world.delete("List", list)
                    case 2, 3: _ = try world.list(list, owner: name(), members: [name() ?? "cem"])
                    default:
                        let held = try world.store.reading {
                            try $0.find(
                                $0.rows.classes[1], primaryKey: #require(OrderedKey(.int(list))))
                        }
                        _ = try world.task(
                            id, owner: name(), done: Bool.random(using: &random),
                            list: held == nil ? nil : list)
                    }
                } catch StoreError.objectNotFound {}
                moments.append((world.store.version.number, try world.seen()))
            }
            let now = try world.seen()
            for start in moments.indices {
                let place = "seed \(seed), \(rule), since \(moments[start].0)"
                guard let told = try world.departures(since: moments[start].0) else {
                    Issue.record("\(place): undecided")
                    return
                }
                let ids = Set(told.compactMap { Int64($0.split(separator: " ")[1]) })
                let ever = moments[start...].reduce(into: Set<Int64>()) { $0.formUnion($1.1) }
                #expect(ids.isSubset(of: ever), "\(place)")
                #expect(ids.isSuperset(of: moments[start].1.subtracting(now)), "\(place)")
            }
        }
    }
}
