import HoldfastObjectModel
import HoldfastServiceSupport

// Writes that change nothing, whatever they find: patches that state nothing or only test, deletions that are bounded by none or of
// elements that no collection has, and bodies with a fault.
extension RuleRequestMaker {
    mutating func write() -> RuleRequest {
        let name = objectClass()
        var request = RuleRequest("/v1/classes/\(name)/objects", takesSnapshot: false)
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1:
            request = RuleRequest(objectPath(name), takesSnapshot: false)
            request.method = "PATCH"
            request.body = "{}"
            if chance(30) { request.headers.append(("If-Match", "\"00000000-1\"")) }
        case 2, 3:
            request = RuleRequest(objectPath(name), takesSnapshot: false)
            request.method = "PATCH"
            request.headers.append(("Content-Type", "application/json-patch+json"))
            let tests = (0..<pick([1, 1, 2])).map { _ in test(name) }
            request.body = "[\(tests.joined(separator: ","))]"
        case 4:
            request = RuleRequest(objectPath(name), takesSnapshot: false)
            request.method = pick(["PATCH", "PUT"])
            request.body = faultyBody(name)
        case 5:
            request.method = "POST"
            if chance(50) {
                request.parameters.append(
                    ("mode", pick(["create", "ignore", "merge", "replace"])))
            }
            request.body = chance(50) ? faultyBody(name) : "[\(faultyBody(name))]"
        case 6:
            request = element()
            request.method = "DELETE"
            request.takesSnapshot = false
            if request.parameters.isEmpty {
                request.target += "/" + pick(["99", "zz"])
            } else {
                request.parameters = [("key", "\"zz\"")]
            }
        case 7:
            request.method = chance(50) ? "PATCH" : "DELETE"
            if request.method == "PATCH" {
                request.body = "{}"
            } else {
                request.headers.append(("Prefer", "max-affected=0"))
            }
            filter(&request, name, percent: 90)
            if request.parameters.isEmpty { request.parameters.append(("all", "true")) }
        default:
            request = RuleRequest("/v1/transactions", takesSnapshot: false)
            request.method = "POST"
            let operations = (0..<pick([1, 2, 3])).map { _ in operation() }
            request.body = "{\"operations\":[\(operations.joined(separator: ","))]}"
        }
        return request
    }

    /// An operation of a transaction.
    private mutating func operation() -> String {
        let name = objectClass()
        let key = key(name)
        let target =
            "\"class\":\(quoted(name)),\"id\":\(key.isText ? quoted(key.text) : key.text)"
        return chance(80)
            ? "{\"op\":\"patch\",\(target),\"value\":{}}"
            : "{\"op\":\"patch\",\(target),\"value\":\(faultyBody(name))}"
    }

    /// A test of a JSON patch.
    private mutating func test(_ name: String) -> String {
        var path = "/" + propertyName(name)
        if chance(20) { path += "/" + pick(["0", "1", "a"]) }
        return "{\"op\":\"test\",\"path\":\(quoted(path)),\"value\":\(value())}"
    }

    /// A body with some properties, and one that no class has.
    private mutating func faultyBody(_ name: String) -> String {
        var members: [String: String] = ["zz": "1"]
        for _ in 0..<pick([0, 1, 2, 3]) { members[propertyName(name)] = value() }
        let texts = members.sorted { $0.key < $1.key }.map { "\(quoted($0)):\($1)" }
        return "{\(texts.joined(separator: ","))}"
    }

    private mutating func value() -> String {
        pick(["null", "null", "0", "1", "2", "true", "\"a\"", "\"\"", "[]", "{}", "[null]", "0.5"])
    }
}
