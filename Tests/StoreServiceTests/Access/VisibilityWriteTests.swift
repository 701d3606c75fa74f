import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastPlainQuery
import HoldfastQuery
import HoldfastRows
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastObjectJSON
import HoldfastTestSupport
import Testing

@Suite("What users do not see stays where they write")
struct VisibilityWriteTests {
    /// How many stores each shard fills; with both it is a tenth of `make soak`.
    private static let storeCount = SeededGenerator.isSoak ? 160 : 16
    private static let shardCount: UInt64 = 2

    /// Runs `body` with random stores, and a user whom random rules show a part of the first.
    private func forEachStore(
        _ name: String, shard: UInt64,
        _ body: (
            _ twins: VisibilityModels, _ whole: TestService, _ part: TestService,
            inout SeededGenerator
        ) throws -> String?
    ) throws {
        let first = SeededGenerator.testSeed("\(name), shard \(shard)")
        for index in 0..<UInt64(Self.storeCount) {
            let seed = first &+ shard &+ index &* Self.shardCount
            var options = StoreOptions()
            if seed % 5 == 0 { options.overflowLimits = .tiny }
            let engine = seed % 4 == 3 ? EngineCase.lmdb : .memory
            var twins = VisibilityModels(seed: seed)
            let whole = try TestService(engine, classes: twins.classes, options: options)
            let part = try TestService(classes: twins.classes, options: options)
            try twins.fill(whole.store, part.store)
            whole.caller = Caller(token: 1, address: "", visibility: ModelVisibility(twins))
            var random = SeededGenerator(seed: seed &+ 1)
            if let difference = try body(twins, whole, part, &random) {
                Issue.record("seed \(seed): \(difference)\n  \(twins.text)")
                return
            }
            #expect(try StoreCheck.run(whole.store).findings.isEmpty, "seed \(seed)")
        }
    }

    private static func text(_ key: Value) -> String {
        switch key {
        case .int(let number): "\(number)"
        case .string(let text): text
        case .uuid(let id): "\(id)"
        case .objectID(let id): "\(id)"
        default: ""
        }
    }

    private static func holdsNullEntry(_ json: QueryJSON) -> Bool {
        switch json {
        case .object(let members): members.values.contains { $0 == .null || holdsNullEntry($0) }
        case .array(let elements): elements.contains(where: holdsNullEntry)
        default: false
        }
    }

    /// The properties that a user may state of what they read.
    private static func stated(_ text: String, _ definition: ObjectClass) -> [String: QueryJSON] {
        guard case .object(let members)? = QueryJSON(text) else { return [:] }
        return members.filter { name, _ in
            definition.properties.contains { property in
                if case .linkingObjects = property.type { return false }
                return property.name == name || property.mapTo == name
            }
        }
    }

    private func outcome(_ body: () throws -> ServedStore.Answer) throws -> String {
        do {
            _ = try body()
            return "ok"
        } catch let fault as RequestFault {
            return "\(fault.kind) \(fault.code) \(fault.errors.map { $0.pointer ?? "" })"
        }
    }

    @Test("what they read and write back changes nothing", arguments: 0..<shardCount)
    func writeBack(shard: UInt64) throws {
        var count = 0
        try forEachStore("written back", shard: shard) { twins, whole, part, _ in
            let before = try VisibilityModels.contents(of: whole.store)
            for definition in twins.classes where definition.kind == .object {
                for key in (twins.objects[definition.name] ?? []).prefix(8) {
                    let address = ObjectAddress(definition.name, Self.text(key))
                    let text = try whole.object(address) ?? ""
                    let members = Self.stated(text, definition)
                    let own = QueryJSON.object(members).text
                    // In a merge null takes an entry of a map away.
                    let merged = QueryJSON.object(
                        members.filter { !Self.holdsNullEntry($0.value) }
                    ).text
                    let patch = members.filter { $0.key != definition.primaryKey }.map {
                        name, value in
                        "{\"op\":\"add\",\"path\":\(quoted("/" + name.replacing("~", with: "~0"))),"
                            + "\"value\":\(value.text)}"
                    }
                    let tests = patch.map {
                        $0.replacing("\"op\":\"add\"", with: "\"op\":\"test\"")
                    }
                    let ways: [(String, (TestService) throws -> ServedStore.Answer)] = [
                        ("PUT", { try $0.put(address, own) }),
                        ("merge", { try $0.merge(address, merged) }),
                        ("test", { try $0.patch(address, "[\(tests.joined(separator: ","))]") }),
                        ("patch", { try $0.patch(address, "[\(patch.joined(separator: ","))]") }),
                    ]
                    for (way, body) in ways {
                        let outcome = try outcome { try body(whole) }
                        let other = try self.outcome { try body(part) }
                        count += 1
                        if outcome != other {
                            return "\(way) \(own): \(outcome), expected \(other)"
                        }
                    }
                }
            }
            let after = try VisibilityModels.contents(of: whole.store)
            for (name, objects) in before {
                for (key, content) in objects where after[name]?[key] != content {
                    let names = content.keys.filter { content[$0] != after[name]?[key]?[$0] }
                    return names.map {
                        "\(name) \(key) \($0): \(String(describing: content[$0])) became "
                            + "\(String(describing: after[name]?[key]?[$0]))"
                    }.joined(separator: "\n")
                }
            }
            return nil
        }
        #expect(count > Self.storeCount)
    }

    /// How often each list holds each of its elements.
    private static func elements(
        of objects: [UInt64: ObjectContent]?
    ) -> [UInt64: [String: [Content: Int]]] {
        (objects ?? [:]).mapValues { content in
            content.mapValues { content in
                let elements: [Content] =
                    switch content {
                    case .values(let values): values.map { .value($0) }
                    case .embeddedList(let list): list.map { .embedded($0) }
                    default: []
                    }
                return Dictionary(elements.map { ($0, 1) }, uniquingKeysWith: +)
            }
        }
    }

    /// The properties of a class that fit into a table, if those name its objects.
    private static func columns(_ definition: ObjectClass, of classes: [ObjectClass]) -> String {
        let flat = definition.properties.filter { property in
            switch property.type {
            case .single(.scalar(let type)): type != .mixed
            case .single(.object(let name)):
                classes.contains { $0.name == name && $0.kind == .object }
            default: false
            }
        }.map(\.name)
        return (definition.primaryKey == nil ? ["$id"] + flat : flat).joined(separator: ",")
    }

    @Test(
        "a table that they export and import changes nothing that is hidden",
        arguments: 0..<shardCount, [WriteMode.merge, .replace])
    func table(shard: UInt64, mode: WriteMode) throws {
        var count = 0
        try forEachStore("tables", shard: shard) { twins, whole, _, _ in
            for definition in twins.classes where definition.kind == .object {
                let before = try VisibilityModels.contents(of: whole.store)
                let fields = Self.columns(definition, of: twins.classes)
                let table = try whole.export(definition.name, fields: fields, isCSV: true)
                let report = try whole.import(definition.name, table) {
                    $0.format = .csv
                    $0.mode = mode
                    // A replaced collection may decide on what is seen of the next chunk.
                    if mode == .merge { $0.chunkLineCount = 3 }
                }
                let rowCount = table.split(separator: "\r\n").count - 1
                if report?.importedCount != rowCount {
                    let faults = report?.faults.map { "\($0.line) \($0.fault.code)" } ?? []
                    return "\(definition.name) \(table): \(faults)"
                }
                count += rowCount
                let after = try VisibilityModels.contents(of: whole.store)
                if mode == .merge, before != after { return "\(table) has changed something" }
                let (unseen, left) = (
                    try twins.unseen(in: before, judgedBy: before, whole.store),
                    try twins.unseen(in: after, judgedBy: before, whole.store)
                )
                if unseen != left { return "\(definition.name) \(table) lost what is hidden" }
            }
            return nil
        }
        #expect(count > Self.storeCount)
    }

    @Test(
        "changed lists keep what is hidden, and read as if it were not there",
        arguments: 0..<shardCount)
    func changedLists(shard: UInt64) throws {
        var count = 0
        try forEachStore("changed lists", shard: shard) { twins, whole, part, random in
            for definition in twins.classes where definition.kind == .object {
                for key in (twins.objects[definition.name] ?? []).prefix(6) {
                    let address = ObjectAddress(definition.name, Self.text(key))
                    guard let text = try? whole.object(address) else { continue }
                    let members = Self.stated(text, definition)
                    // A dictionary's order is another one in each process.
                    let lists = members.filter { !$0.value.elements.isEmpty }
                        .sorted { $0.key < $1.key }
                    guard let (name, value) = lists.randomElement(using: &random) else { continue }
                    var elements = value.elements
                    var isReordered = false
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: elements.remove(at: Int.random(in: elements.indices, using: &random))
                    case 1:
                        elements.shuffle(using: &random)
                        isReordered = true
                    case 2:
                        elements.insert(
                            elements[Int.random(in: elements.indices, using: &random)],
                            at: Int.random(in: 0...elements.count, using: &random))
                    default: elements = []
                    }
                    let body = QueryJSON.object([name: .array(elements)]).text
                    let before = try VisibilityModels.contents(of: whole.store)
                    let own = try outcome { try whole.merge(address, body) }
                    let other = try outcome { try part.merge(address, body) }
                    count += 1
                    if own != other { return "\(address) \(body): \(own), expected \(other)" }
                    let after = try VisibilityModels.contents(of: whole.store)
                    let (unseen, left) = (
                        try twins.unseen(in: before, judgedBy: before, whole.store),
                        try twins.unseen(in: after, judgedBy: before, whole.store)
                    )
                    if unseen != left {
                        return "\(definition.name) \(key) \(body) of \(text) lost what is hidden"
                    }
                    if isReordered,
                        Self.elements(of: before[definition.name])
                            != Self.elements(of: after[definition.name])
                    {
                        return "\(definition.name) \(key) \(body) of \(text) took elements apart"
                    }
                    // What the change has brought into sight, or out of it, the copy does not follow.
                    guard
                        try twins.showTheSame(
                            before: before, after: after, whole.store)
                    else {
                        return nil
                    }
                    guard own == "ok",
                        let seen = try? whole.object(address).flatMap({ QueryJSON($0) }),
                        let expected = try? part.object(address).flatMap({ QueryJSON($0) })
                    else { continue }
                    if seen[name] != expected[name] {
                        return
                            "\(definition.name) \(key) \(body): \(String(describing: seen[name])), "
                            + "expected \(String(describing: expected[name]))"
                    }
                }
            }
            return nil
        }
        #expect(count > Self.storeCount)
    }
}
