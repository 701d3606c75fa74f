import Glibc
import HoldfastHTTPServer
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
@testable import HoldfastRESTAPI
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@Suite("The log of versions that are held")
struct RetainedVersionLogTests {
    @Test("names who holds an old one when others are committed, and /metrics counts them")
    func line() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        var options = StoreOptions()
        options.heldMillisecondsMin = 0
        let store = try Shelter.open(.memory, options: options)
        let service = RESTService(
            store: store, options: RESTOptions(), tokens: nil,
            logger: Logger(level: .info, format: .logfmt, descriptor: ends[1]))
        let pin = try service.served.pins.begin(for: .program)
        #expect(store.retainedVersions.count(of: .snapshot) == 0)
        try service.served.pins.keep(pin)
        try service.served.pins.keep(pin)
        #expect(store.retainedVersions.count(of: .snapshot) == 1)
        let export = try service.transfers.beginExport(.store, of: nil, for: .program)
        try store.run([.write("Person", Shelter.person("a"), key: nil, .merge)])
        try store.run([.write("Person", Shelter.person("b"), key: nil, .merge)])
        service.transfers.end(export)
        service.stop()
        #expect(store.retainedVersions.count(of: .snapshot) == 0)
        store.close()
        close(ends[1])
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(ends[0], &bytes, bytes.count)
        close(ends[0])
        let text = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 2)
        for (line, holder) in zip(lines, ["snapshot", "export"]) {
            #expect(
                line.contains(
                    #"message="old versions are retained, so the data file grows" holder=\#(holder) versions=1 seconds=0"#
                ))
        }
    }
}
