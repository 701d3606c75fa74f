import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("views of the store")
struct ViewOpeningTests {
    /// The ways to a view.
    enum Door: CaseIterable {
        case newest, reused, held, pinned, uncommitted

        /// Runs `body` with a view.
        func enter(
            _ store: Store, _ body: @escaping @Sendable (ReadTransaction) throws(StoreError) -> Int
        ) throws(StoreError) -> Int {
            switch self {
            case .newest: return try store.withRead(body)
            case .reused:
                let left = ReusableView()
                _ = try? store.withRead(reusing: left, body)
                return try store.withRead(reusing: left, body)
            case .held:
                let view = try store.holdRead()
                defer { view.close() }
                return try view.withRead(body)
            case .pinned: return try store.pin(sharing: []).withRead(body)
            case .uncommitted:
                let number = Held(0)
                try store.write { transaction throws(StoreError) in
                    number.value = try transaction.withView(body)
                }
                return number.value
            }
        }

        private final class Held: @unchecked Sendable {
            var value: Int
            init(_ value: Int) { self.value = value }
        }
    }

    @Test("give what was found there", arguments: Door.allCases)
    func found(door: Door) throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        let count = try door.enter(store) { $0.rows.classes.count }
        #expect(count == Shelter.classes.count)
    }

    @Test("give nothing where storage failed meanwhile", arguments: Door.allCases)
    func failed(door: Door) throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        let error = #expect(throws: StoreError.self) {
            try door.enter(store) { read in
                // A chunk that a row names is not there.
                [0xFF, 1].withUnsafeBytes { read.overflowChunk($0) == nil ? 1 : 2 }
            }
        }
        guard case .storage(let failure)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.code == .corrupted)
    }

    @Test("give nothing where time was over, whatever follows", arguments: Door.allCases)
    func late(door: Door) throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        let error = #expect(throws: StoreError.self) {
            try door.enter(store) { read in
                read.limitFollowing(until: 1)
                while read.budget.spend() {}
                // Another evaluation on the same view makes up for nothing.
                read.limitFollowing(until: .max)
                return read.budget.spend() ? 1 : 2
            }
        }
        guard case .stopped(.time)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("tell why they failed, and not what was refused by it", arguments: Door.allCases)
    func refusal(door: Door) throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        let error = #expect(throws: StoreError.self) {
            try door.enter(store) { read throws(StoreError) in
                read.budget.fail(.memory)
                throw .objectNotFound
            }
        }
        guard case .stopped(.memory)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
