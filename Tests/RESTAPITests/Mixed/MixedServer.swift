import HoldfastObjectModel
import Testing

/// A server whose classes have values of kind `mixed` wherever there may be some.
enum MixedServer {
    /// The schema as a client writes it.
    static let schema = #"""
        {"classes":[
          {"name":"Box","primaryKey":"id","properties":{
            "id":"string","item":"mixed","list":"mixed[]","set":"mixed<>","map":"mixed{}",
            "sorted":{"type":"mixed","indexed":true},"part":"Part","parts":"Part[]","count":"int"}},
          {"name":"Part","kind":"embedded","properties":{"item":"mixed","list":"mixed[]"}},
          {"name":"Dog","primaryKey":"name","properties":{"name":"string","age":"int"}},
          {"name":"Loose","properties":{"item":"mixed","text":"string"}},
          {"name":"Keyed","primaryKey":"key","properties":{"key":"int?"}}]}
        """#

    static func open() throws -> TestServer {
        let server = try TestServer(schema: Schema())
        let reply = server.send("PUT", "/v1/schema", schema)
        #expect(reply.status == 200, "\(reply.text)")
        for name in ["rex", "ada", "tom"] {
            server.send("PUT", "/v1/classes/Dog/objects/\(name)", #"{"age":1}"#)
        }
        return server
    }

    /// The path of the object that the tests work on.
    static let box = "/v1/classes/Box/objects/b"

    /// A link in the form that `mixed` takes.
    static func dog(_ name: String) -> String { #"{"$link":{"class":"Dog","id":"\#(name)"}}"# }

    /// Arrays in each other, as deep as is said.
    static func nested(_ depth: Int, _ inner: String = "") -> String {
        String(repeating: "[", count: depth) + inner + String(repeating: "]", count: depth)
    }
}
