import HoldfastHTTPServer
import HoldfastObjectStore
import HoldfastTestSupport
import Testing

@testable import HoldfastCommand
@testable import HoldfastRESTAPI

@Test("every limit has a name, an option and a place of its own")
func limitNames() {
    #expect(Set(Limit.all.map(\.name)).count == Limit.all.count)
    #expect(Set(Limit.all.map(\.option)).count == Limit.all.count)
    #expect(Set(Limit.all.map { $0.path as AnyKeyPath }).count == Limit.all.count)
    #expect(Limit.all[0].name == "body")
    #expect(Limit.all[0].defaultText == "32MiB")
}

@Test("every limit's option changes the value that GET /v1 tells")
func limitValues() throws {
    for limit in Limit.all {
        var options = ServiceOptions()
        let text =
            switch limit.form {
            case .size: "777B"
            case .duration: "777s"
            case .count: "777"
            }
        let arguments = try Arguments(
            ["--\(limit.option)", text], verb: .serve, environment: [:])
        try limit.apply(arguments, to: &options)
        let store = try Store(engine: try EngineCase.memory.open(), options: options.store)
        let service = RESTService(
            store: store, options: options.rest, tokens: nil, logger: Logger(level: .error))
        #expect(service.limitValues.filter { $0.1 == 777 }.count == 1, "\(limit.option)")
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
    for limit in Limit.all {
        let text = limit.defaultText
        let arguments = try Arguments(
            ["--\(limit.option)", text], verb: .serve, environment: [:])
        try limit.apply(arguments, to: &options)
        #expect(try values(options) == defaults, "\(limit.option)")
    }
}
