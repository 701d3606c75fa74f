import HoldfastTestSupport
import Testing

/// Random changes of one object with properties of every form.
struct PropertyWorld {
    private let server: TestServer
    private var random: SeededGenerator
    private var touchCount = 0
    private static let item = "/v1/classes/Item/objects/1"

    init(_ server: TestServer, _ random: SeededGenerator) {
        self.server = server
        self.random = random
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &random)
    }

    private mutating func dog() -> String { "\"" + ["a", "b", "c", "d"][number(0...3)] + "\"" }

    private mutating func element(_ property: String) -> String {
        switch property {
        case "friends", "dogs", "pets": dog()
        case "words": "\"w\(number(0...12))\""
        case "map": "\"v\(number(0...3))\""
        case "parts":
            #"{"size":\#(number(0...3)),"marks":[\#(number(0...3))],"maker":\#(dog())}"#
        case "anys": number(0...2) == 0 ? "[\(number(0...3)),{\"a\":1}]" : "\(number(0...9))"
        default: "\(number(0...9))"
        }
    }

    /// The whole value of a property.
    private mutating func value(_ property: String) -> String {
        let elements = (0..<number(0...9)).map { _ in element(property) }
        switch property {
        case "words", "dogs": return "[" + Set(elements).sorted().joined(separator: ",") + "]"
        case "map", "pets":
            return "{"
                + elements.enumerated().map { "\"k\($0.offset)\":\($0.element)" }.joined(
                    separator: ",") + "}"
        case "any":
            switch number(0...3) {
            case 0: return "null"
            case 1: return "\(number(0...9))"
            case 2: return "[[\(elements.joined(separator: ","))],3]"
            default: return #"{"0":\#(number(0...3)),"b":[1]}"#
            }
        default: return "[" + elements.joined(separator: ",") + "]"
        }
    }

    private func count(_ property: String) -> Int {
        let reply = server.send("GET", Self.item + "/properties/\(property)?limit=1000")
        return (reply.json["elements"] ?? reply.json["objects"])?.elements.count ?? 0
    }

    /// Does something.
    mutating func step() {
        let properties = [
            "list", "friends", "words", "dogs", "map", "pets", "parts", "any", "anys",
        ]
        let property = properties[number(0...properties.count - 1)]
        switch number(0...11) {
        case 0:
            let name = dog().filter { $0 != "\"" }
            if number(0...3) == 0, name != "a" {
                server.send("DELETE", "/v1/classes/Dog/objects/\(name)")
            }
            let mate = number(0...3) == 0 ? "null" : dog()
            server.send(
                "PUT", "/v1/classes/Dog/objects/\(name)",
                #"{"age":\#(number(0...9)),"mate":\#(mate)}"#)
        case 1 where number(0...3) == 0:
            server.send("DELETE", Self.item)
            if number(0...1) == 0 { server.send("PUT", Self.item, "{}") }
        case 2...4:
            let value = value(property)
            server.send("PATCH", Self.item, "{\"\(property)\":\(value)}")
        case 5: server.send("PATCH", Self.item, #"{"note":\#(number(0...99)),"best":\#(dog())}"#)
        default:
            let list = ["list", "friends", "parts", "anys"][number(0...3)]
            let count = count(list)
            var operations: [String] = []
            for _ in 0..<number(1...4) {
                let index = number(0...max(0, count - 1))
                let value = element(list)
                switch number(0...2) {
                case 0 where count > 4:
                    operations.append(#"{"op":"remove","path":"/\#(list)/0"}"#)
                case 1 where count > 4:
                    operations.append(
                        #"{"op":"replace","path":"/\#(list)/\#(index / 4)","value":\#(value)}"#)
                default:
                    operations.append(
                        #"{"op":"add","path":"/\#(list)/\#(min(index, count))","value":\#(value)}"#)
                }
            }
            server.send(
                "PATCH", Self.item, "[\(operations.joined(separator: ","))]",
                headers: [("Content-Type", "application/json-patch+json")])
        }
    }

    /// Changes every property to something that it never was, so that every stream has an event of the version that is
    /// returned, also where it is told of several versions at once.
    mutating func touch() -> String {
        touchCount += 1
        let n = 1000 + touchCount
        let present = server.send("GET", Self.item)
        if present.status == 404 { server.send("PUT", Self.item, "{}") }
        if present.json["map"] == .null { server.send("PATCH", Self.item, #"{"map":{}}"#) }
        if present.json["pets"] == .null { server.send("PATCH", Self.item, #"{"pets":{}}"#) }
        var words = (present.json["words"]?.elements ?? []).compactMap(\.string)
        words = (words.count > 9 ? [] : words) + ["t\(n)"]
        let list = words.map { "\"\($0)\"" }.joined(separator: ",")
        let patch = #"""
            [{"op":"add","path":"/list/-","value":\#(n)},{"op":"add","path":"/friends/-","value":"t\#(n)"},
            {"op":"replace","path":"/words","value":[\#(list)]},{"op":"replace","path":"/dogs","value":["a","t\#(n)"]},
            {"op":"add","path":"/map/t","value":"\#(n)"},{"op":"add","path":"/pets/t","value":"t\#(n)"},
            {"op":"add","path":"/parts/0","value":{"size":\#(n)}},{"op":"replace","path":"/any","value":[[\#(n)]]},
            {"op":"add","path":"/anys/0","value":\#(n)},{"op":"replace","path":"/best","value":"t\#(n)"}]
            """#
        let reply = server.send(
            "POST", "/v1/transactions",
            #"{"operations":[{"op":"create","class":"Dog","value":{"name":"t\#(n)","age":\#(n)}},{"op":"patch","class":"Item","id":1,"value":\#(patch)}]}"#
        )
        #expect(reply.status < 300, "\(reply.text)")
        return reply.headers["holdfast-version"] ?? ""
    }
}
