import HTTPServer
import ObjectStore
import TestSupport
import Testing

@testable import HoldfastCommand
@testable import RESTAPI

@Test(
    "every limit that GET /v1 lists is an option of the same name, or one of the object model's own"
)
func limitNames() throws {
    let store = try Store(engine: try EngineCase.memory.open())
    defer { store.close() }
    let service = RESTService(
        store: store, options: RESTOptions(), tokens: nil, logger: Logger(level: .error))
    defer { service.stop() }
    let options = Set(
        LimitOption.all.map { limit in
            var words = limit.option.name.split(separator: "-")
            words.removeAll { $0 == "max" }
            return String(words[0]) + words.dropFirst().map(\.capitalized).joined()
        })
    let model: Set = ["className", "propertyName", "value"]
    #expect(Set(service.limitValues.map(\.0)) == options.union(model))
}

@Test("every limit's option changes the value that GET /v1 tells")
func limitValues() throws {
    for limit in LimitOption.all {
        var options = ServiceOptions()
        let text =
            switch limit.form {
            case .size, .sizeOrNone: "777B"
            case .duration: "777s"
            case .count: "777"
            }
        let arguments = try Arguments(
            ["--\(limit.option.name)", text], verb: .serve, environment: [:])
        try limit.apply(arguments, to: &options)
        let store = try Store(engine: try EngineCase.memory.open(), options: options.store)
        let service = RESTService(
            store: store, options: options.rest, tokens: nil, logger: Logger(level: .error))
        #expect(service.limitValues.filter { $0.1 == 777 }.count == 1, "\(limit.option.name)")
        service.stop()
        store.close()
    }
}

@Test("every limit's default is what its help says")
func limitDefaults() throws {
    func values(_ options: ServiceOptions) throws -> [String: Int] {
        let store = try Store(engine: try EngineCase.memory.open(), options: options.store)
        defer { store.close() }
        let service = RESTService(
            store: store, options: options.rest, tokens: nil, logger: Logger(level: .error))
        defer { service.stop() }
        return Dictionary(uniqueKeysWithValues: service.limitValues)
    }
    var options = ServiceOptions()
    let defaults = try values(options)
    for limit in LimitOption.all {
        let text = try #require(limit.option.fallback)
        let arguments = try Arguments(
            ["--\(limit.option.name)", text], verb: .serve, environment: [:])
        try limit.apply(arguments, to: &options)
        #expect(try values(options) == defaults, "\(limit.option.name)")
    }
}

extension Substring {
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
