import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@Test("random objects come back as they were put, and can be put back", arguments: EngineCase.all)
func roundTrips(engine: EngineCase) throws {
    let service = try TestService(engine, classes: Schemas.everything.classes)
    var random = SeededGenerator(seed: SeededGenerator.testSeed("round trips"))
    func pick(_ values: [String]) -> String { values.randomElement(using: &random) ?? "null" }
    func list(_ values: [String]) -> String {
        "["
            + (0..<Int.random(in: 0..<5, using: &random)).map { _ in pick(values) }.joined(
                separator: ",") + "]"
    }
    let ints = ["0", "-1", "9223372036854775807", "-9223372036854775808", "42"]
    let doubles = ["0.0", "-0.5", "1e+300", "\"NaN\"", "\"-Infinity\"", "3.141592653589793"]
    let strings = [
        "\"\"", "\"a\"", "\"é😀\"", "\"\\u0000\\\"\\\\\"",
        "\"\(String(repeating: "x", count: 700))\"",
    ]
    let blobs = ["\"\"", "\"AA==\"", "\"////\""]
    let dates = ["\"2026-11-20T06:38:58.000000001Z\"", "\"0001-01-01T00:00:00Z\""]
    let oids = ["\"507f1f77bcf86cd799439011\"", "\"000000000000000000000000\""]
    let uuids = ["\"123e4567-e89b-12d3-a456-426614174000\""]
    for _ in 0..<SeededGenerator.scaled(200) {
        var members: [String] = []
        func state(_ name: String, _ value: String) {
            if Bool.random(using: &random) { members.append("\"\(name)\":\(value)") }
        }
        state("flag", pick(["true", "false"]))
        state("count", pick(ints))
        state("ratio", pick(doubles))
        state("name", pick(strings))
        state("bytes", pick(blobs))
        state("at", pick(dates))
        state("oid", pick(oids))
        state("uuid", pick(uuids))
        state("flagN", pick(["true", "null"]))
        state("countN", pick(ints + ["null"]))
        state("nameN", pick(strings + ["null"]))
        state("atN", pick(dates + ["null"]))
        state("flags", list(["true", "false"]))
        state("counts", list(ints))
        state("names", list(strings))
        state("blobs", list(blobs))
        state("dates", list(dates))
        state("oids", list(oids))
        state("uuids", list(uuids))
        state("countsN", list(ints + ["null"]))
        state("namesN", list(strings + ["null"]))
        members.shuffle(using: &random)
        let object = ObjectAddress("Thing", "\(Int.random(in: 0..<20, using: &random))")
        let put = try service.put(object, "{" + members.joined(separator: ",") + "}").text
        // A control character is answered by its escape, in one form.
        for member in members { #expect(put.contains(member), "\(member) in \(put)") }
        let whole = try service.object(object, fields: "*,$id,$version") ?? ""
        try service.put(object, whole)
        #expect(try service.object(object, fields: "*,$id,$version") == whole)
        #expect(try service.object(object) == put)
    }
}
