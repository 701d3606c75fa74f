import HoldfastServiceSupport

// What is followed from its beginning: pages of changes, and streams of several queries.
extension RuleRequestMaker {
    mutating func changes() -> RuleRequest {
        let container = container()
        var request = RuleRequest(container.path + "/changes", takesSnapshot: false)
        request.hasPages = true
        request.pageParameter = "since"
        request.parameters = [("since", "start"), ("limit", count(to: 5))]
        filter(&request, container.base)
        shape(&request, container)
        if chance(20) { request.parameters.append(("keyPaths", path(container.base))) }
        return request
    }

    mutating func stream() -> RuleRequest {
        var request = RuleRequest("/v1/streams", "POST", .object([:]))
        request.takesSnapshot = false
        let names = (0..<pick([1, 1, 2, 3])).map { "q\($0)" }
        let queries = names.map { "\(quoted($0)):{\(followedQuery())}" }
        request.body = "{\"queries\":{\(queries.joined(separator: ","))}}"
        request.followed = names
        request.hasTicket = chance(40)
        return request
    }

    /// The members of a query of a stream.
    private mutating func followedQuery() -> String {
        let container = container()
        let kind = container.projection == nil ? "class" : "projection"
        let of = "\(quoted(kind)):\(quoted(container.name))"
        var query = RuleRequest("")
        shape(&query, container)
        if chance(20) {
            let key = key(container.base)
            let id = "\"id\":\(key.isText ? quoted(key.text) : key.text)"
            return ([of, id] + query.members).joined(separator: ",")
        }
        filter(&query, container.base)
        query.parameters.removeAll { $0.name == "text" }
        if chance(30) {
            query.parameters.append(("sort", sort(container.base)))
            query.parameters.append(("limit", count(to: 7)))
        } else if chance(20) {
            query.parameters.append(("keyPaths", path(container.base)))
        }
        return ([of] + query.members).joined(separator: ",")
    }
}
