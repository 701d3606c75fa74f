import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import Testing
import HoldfastTestSupport

/// Drafts in which a search for each embedded object would take minutes: the tests end at once if there is
/// none.
@Suite("Drafts with many embedded objects")
struct LargeDraftTests {
    /// Routes, whose stops link to towns. The map comes before the list.
    private static let classes = {
        var minutes = Property(name: "minutes", type: .single(.scalar(.int)))
        minutes.isRequired = true
        return [
            ObjectClass(
                name: "Route", primaryKey: "id",
                properties: [
                    Property(name: "id", type: .single(.scalar(.int))),
                    Property(name: "named", type: .map(.object("Stop")), isOptional: true),
                    Property(name: "stops", type: .list(.object("Stop"))),
                ]),
            ObjectClass(
                name: "Stop", kind: .embedded,
                properties: [
                    minutes,
                    Property(name: "town", type: .single(.object("Town")), isOptional: true),
                ]),
            ObjectClass(
                name: "Town", primaryKey: "id",
                properties: [Property(name: "id", type: .single(.scalar(.int)))]),
        ]
    }()

    /// Makes a draft of route 1.
    ///
    /// - `town`: The town of a stop by its position; nil for none.
    private static func route(
        _ rows: RowSchema, named namedCount: Int, stops stopCount: Int, statesMinutes: Bool = true,
        town: (Int) -> Int64?
    ) -> ObjectDraft {
        func stop(_ town: Int64?) -> ObjectDraft {
            let stop = ObjectDraft(rows.classes[1], isMerge: false)
            if statesMinutes { stop.set(0, inline: InlineValue(Int64(5))) }
            if let town {
                stop.addReference(1, element: nil) { OrderedKey.append(.int(town), to: $0) }
                stop.setReference(1)
            }
            return stop
        }
        let route = ObjectDraft(rows.classes[0], isMerge: false)
        route.set(0, inline: InlineValue(Int64(1)))
        for position in 0..<namedCount {
            let child = route.addChild(stop(nil))
            Array("\(1_000_000 + position)".utf8).withUnsafeBytes {
                route.addEntry($0, .child(child))
            }
        }
        route.setEntries(1, from: 0)
        route.set(2, children: (0..<stopCount).map { stop(town($0)) })
        return route
    }

    @Test("are written without a search for each that holds a link", .timeLimit(.minutes(2)))
    func links() throws {
        let store = try Shelter.open(.memory, classes: Self.classes)
        defer { store.close() }
        try store.put("Town", ["id": .value(.int(1))])
        let version = try store.write { transaction throws(StoreError) in
            _ = try transaction.write(
                Self.route(transaction.catalog.rows, named: 100_000, stops: 30_000) { _ in 1 },
                mode: .create)
        }
        #expect(version > 0)
        #expect(try store.findings() == [])
    }

    @Test("name each link that leads nowhere", .timeLimit(.minutes(2)))
    func danglingLinks() throws {
        let store = try Shelter.open(.memory, classes: Self.classes)
        defer { store.close() }
        let count = 30_000
        #expect {
            try store.write { transaction throws(StoreError) in
                _ = try transaction.write(
                    Self.route(transaction.catalog.rows, named: 100_000, stops: count) {
                        Int64($0 % 2)
                    }, mode: .create)
            }
        } throws: { error in
            guard case StoreError.danglingLinks(let links) = error else { return false }
            return links.map(\.path)
                == (0..<count).map { [.property("stops"), .element($0), .property("town")] }
        }
    }

    @Test("name each that lacks what is required", .timeLimit(.minutes(2)))
    func unstated() throws {
        let store = try Shelter.open(.memory, classes: Self.classes)
        defer { store.close() }
        let count = 30_000
        #expect {
            try store.write { transaction throws(StoreError) in
                _ = try transaction.write(
                    Self.route(
                        transaction.catalog.rows, named: count, stops: count, statesMinutes: false
                    ) { _ in nil }, mode: .create)
            }
        } throws: { error in
            guard case StoreError.unstated(let properties) = error else { return false }
            return properties.map(\.path)
                == (0..<count).map { [.property("named"), .key("\(1_000_000 + $0)")] }
                + (0..<count).map { [.property("stops"), .element($0)] }
        }
    }
}
