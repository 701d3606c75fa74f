@testable import HoldfastStreams
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import Synchronization
import HoldfastTestSupport
import Testing

@testable import HoldfastStoreService

@Suite("What streams missed, folded once")
struct FoldCacheTests {
    private static func put(_ count: Int, _ store: Store) throws {
        for number in 0..<count {
            try store.put("City", ["id": .value(.int(Int64(number)))])
        }
    }

    @Test("a view is given no changes that came behind it")
    func future() throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        try Self.put(100, store)
        let early = try store.read()
        defer { early.close() }
        try Self.put(200, store)
        let late = try store.read()
        defer { late.close() }
        let folds = FoldCache()
        let known = try folds.changes(
            after: 1, through: late.state().version, in: late, classes: nil)
        #expect(known.changes.through == store.version.number)
        let present = try early.state().version
        let changes = try folds.changes(after: 1, through: present, in: early, classes: nil)
        #expect(changes.changes.through == present)
        // The same view has them from the cache.
        let shared = try folds.changes(
            after: 1, through: late.state().version, in: late, classes: nil)
        #expect(shared.isShared)
    }

    @Test("a change of shape is told to those alone who missed it")
    func shapes() throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        try Self.put(10, store)
        var classes = Shelter.classes
        classes[0].properties.append(Property(name: "added", type: .single(.scalar(.int))))
        let changed = try store.setSchema(classes)
        try Self.put(200, store)
        let read = try store.read()
        defer { read.close() }
        let present = try read.state().version
        let folds = FoldCache()
        let before = try folds.changes(after: 1, through: present, in: read, classes: nil)
        #expect(before.changes.changesSchema)
        let behind = try folds.changes(after: changed, through: present, in: read, classes: nil)
        #expect(!behind.changes.changesSchema)
    }

    /// Lets somebody else run at each look at the clock but the first, which comes before the events are written.
    private final class Turn: TimeSlice {
        let isAlone = false
        private let lookCount = Atomic(0)
        private let others: @Sendable () -> Void

        init(_ others: @escaping @Sendable () -> Void) { self.others = others }

        func mayContinue() -> Bool {
            if lookCount.add(1, ordering: .relaxed).oldValue > 0 { others() }
            return true
        }
    }

    @Test("a stream that writes departures, and may have to wait for its turn, holds up no other")
    func departures() throws {
        let store = try Shelter.open(.memory)
        let served = ServedStore(store, limits: ServiceLimits()) { _, _ in }
        defer { served.stop() }
        try Self.put(3_000, store)
        let read = try store.read()
        defer { read.close() }
        let present = try read.state().version
        let folds = FoldCache()
        _ = try folds.changes(after: 1, through: present, in: read, classes: nil)
        let shared = try folds.changes(after: 1, through: present, in: read, classes: nil)
        let stream = try StreamDefinition(
            of: .objects(className: "City"), QueryText(), EventOptions(), quotesLargeInts: false
        ).checked(SchemaNames(read.rows), ServiceLimits())
        @Sendable func written(_ view: ReadTransaction) throws -> SharedFold.Departures? {
            try shared.departures(as: stream, view, served)
        }
        let found = Mutex<[Bool]>([])
        read.timeSlice = Turn {
            let isFound: Bool? = try? store.reading { try written($0) != nil }
            found.withLock { $0.append(isFound ?? true) }
        }
        #expect(try written(read) != nil)
        // While it wrote them others found none.
        let others = found.withLock { $0 }
        #expect(!others.isEmpty && !others.contains(true))
        read.timeSlice = nil
        #expect(try written(read) != nil)
    }
}
