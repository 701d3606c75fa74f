import HoldfastObjectModel
import Testing

/// A server whose classes have maps of every kind.
enum MapServer {
    /// The schema as a client writes it.
    static let schema = #"""
        {"classes":[
          {"name":"Kennel","primaryKey":"id","properties":{
            "id":"string","rank":"int",
            "marks":"double?{}","labels":"string{}","days":"date{}","prices":"decimal128{}",
            "roles":{"type":"map","element":"string","enum":["guard","pet"]},
            "dogs":"Dog{}","rooms":{"type":"map","element":{"type":"object","class":"Room"}},
            "home":"Room?","small":"int8{}"}},
          {"name":"Dog","primaryKey":"name","properties":{
            "name":"string","age":"int?",
            "kennels":{"type":"linkingObjects","class":"Kennel","property":"dogs"},
            "rooms":{"type":"linkingObjects","class":"Room","property":"guests"}}},
          {"name":"Room","kind":"embedded","properties":{
            "size":"int","warm":"bool?","best":"Dog","guests":"Dog{}","notes":"string{}"}}]}
        """#

    static func open() throws -> TestServer {
        let server = try TestServer(schema: Schema())
        let reply = server.send("PUT", "/v1/schema", schema)
        #expect(reply.status == 200, "\(reply.text)")
        for (name, age) in [("rex", "3"), ("ada", "null"), ("tom", "9")] {
            server.send("PUT", "/v1/classes/Dog/objects/\(name)", #"{"age":\#(age)}"#)
        }
        return server
    }

    /// The path of the kennel that the tests work on.
    static let kennel = "/v1/classes/Kennel/objects/k"
}
