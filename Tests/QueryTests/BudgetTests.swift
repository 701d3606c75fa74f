import HoldfastObjectModel
import HoldfastRows
import HoldfastTestSupport
import Testing

@testable import HoldfastQuery

@Suite("Budgets")
struct BudgetTests {
    /// A world with one person who has so many ints and names.
    private func world(_ count: Int) -> World {
        let person = Person(1)
        person.ints = (0..<count).map { Int64($0) * 2 }
        person.names = (0..<count).map { "name \($0)" }
        return World(people: [person])
    }

    private func matches(
        _ text: String, _ arguments: [QueryArgument] = [], in world: World, within budget: Budget
    ) throws -> Bool {
        let query = try CompiledQuery.compile(
            text: text, arguments: arguments, rootClass: 0, schema: World.schema)
        let matcher = query.predicate.makeMatcher(World.schema, source: world)
        matcher.limit(by: budget)
        let row = try #require(world.row(classIndex: 0, key: 0))
        return matcher.matches(row: row, key: 0, source: world)
    }

    @Test("a budget that has failed stays so, and begins again when it is told to")
    func sticky() {
        let budget = Budget(until: 0)
        #expect(budget.spend(), "before the first look")
        #expect(!budget.spend(Budget.stepsUnseen))
        #expect(budget.failure == .time)
        budget.fail(.memory)
        #expect(budget.failure == .time && !budget.spend() && budget.lookCount == 1)
        budget.begin(until: .max, memoryByteCountMax: 8)
        #expect(budget.spend(1 << 20) && budget.failure == nil)
        #expect(budget.holds(8) && !budget.holds(9) && budget.failure == .memory)
    }

    @Test(
        "a query spends of its budget while it is read and checked, and is given up with it",
        arguments: [
            Array(repeating: "age == 1", count: 2000).joined(separator: " OR "), "age IN $0",
            "name MATCHES 'a'",
        ])
    func checking(_ text: String) throws {
        let list = QueryArgument(.list(Array(repeating: .int(1), count: 2000)))
        let budget = Budget(until: 0)
        #expect(throws: QueryError.self) {
            _ = try CompiledQuery.compile(
                text: text, arguments: [list], rootClass: 0, schema: World.schema, within: budget)
        }
        #expect(budget.failure == .time)
        budget.begin(until: .max)
        _ = try CompiledQuery.compile(
            text: text, arguments: [list], rootClass: 0, schema: World.schema, within: budget)
        #expect(budget.failure == nil)
    }

    @Test("a list counts as memory at each place where a query names it")
    func listsAtPlaces() throws {
        let list = QueryArgument(.list((0..<100).map { .int($0) }))
        let byteCount = 3 * 100 * QueryArgument.byteCountOfValue
        let budget = Budget(memoryByteCountMax: byteCount)
        func compile(_ count: Int) throws {
            budget.begin(until: .max, memoryByteCountMax: byteCount)
            _ = try CompiledQuery.compile(
                text: Array(repeating: "age IN $0", count: count).joined(separator: " OR "),
                arguments: [list], rootClass: 0, schema: World.schema, within: budget)
        }
        try compile(3)
        #expect(budget.failure == nil)
        #expect(throws: QueryError.self) { try compile(4) }
        #expect(budget.failure == .memory)
    }

    @Test(
        "comparing two lists looks at the clock, and takes steps for their values and not for their pairs",
        arguments: [
            "ANY $0 == ANY ints", "NONE $0 == ANY ints", "ALL $0 != ALL ints", "ANY ints == ANY $0",
            "ANY ints < ANY $0", "ALL ints >= ALL $0", "NONE ints IN $0", "ANY ints == ANY ints",
            "ALL ints != ANY ints", "ALL ints < ALL ints", "age == ALL $0", "age < ANY $0",
            "ANY $0 == ALL ints",
        ])
    func lists(_ text: String) throws {
        let count = 3000
        let world = world(count)
        let list = QueryArgument(.list((0..<count).map { .int(Int64($0) * 2 + 1) }))
        let budget = world.budget
        _ = try matches(text, [list], in: world, within: budget)
        #expect(budget.failure == nil)
        #expect(budget.lookCount >= (text.hasPrefix("age") ? 0 : 1))
        #expect(budget.lookCount * Budget.stepsUnseen < 40 * count, "\(budget.lookCount) looks")
    }

    @Test(
        "what compares pair by pair, or tests a value with each of a list, looks at the clock on its way",
        arguments: [
            "ANY names CONTAINS ANY $0", "NONE names BEGINSWITH ANY $0",
            "ANY $0 ENDSWITH ANY names",
            "ANY names LIKE ANY $0",
        ])
    func pairs(_ text: String) throws {
        let count = 400
        let world = world(count)
        let list = QueryArgument(.list((0..<count).map { .string("none \($0)") }))
        let budget = Budget()
        _ = try matches(text, [list], in: world, within: budget)
        #expect(budget.lookCount >= 1)
        let late = Budget(until: 0)
        _ = try matches(text, [list], in: world, within: late)
        #expect(late.failure == .time && late.lookCount == 1)
    }

    @Test("a filter of many parts looks at the clock, however short each of them is")
    func parts() throws {
        let world = world(1)
        let text = (0..<10_000).map { "age == \($0) AND name != 'x'" }.joined(separator: " OR ")
        let late = Budget(until: 0)
        for _ in 0..<100 where late.failure == nil {
            _ = try matches(text, in: world, within: late)
        }
        #expect(late.failure == .time)
    }

    @Test("a pattern with many ways through a text looks at the clock")
    func like() throws {
        let person = Person(1)
        person.name = String(repeating: "a", count: 4000)
        let world = World(people: [person])
        let late = Budget(until: 0)
        let pattern = "*" + String(repeating: "a", count: 1000) + "?b"
        #expect(try !matches("name LIKE '\(pattern)'", in: world, within: late))
        #expect(late.failure == .time)
    }

    @Test("values that a path leads to are counted against the memory of a query")
    func memory() throws {
        let world = world(1000)
        world.budget.begin(until: .max, memoryByteCountMax: 10_000)
        #expect(try !matches("ANY ints == ANY ints", in: world, within: world.budget))
        #expect(world.budget.failure == .memory)
    }
}
