import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

extension RuleRequest {
    /// Makes a stream of several queries and follows it, maybe with a ticket, until each query is up to date.
    ///
    /// - Returns: What was replied, without the stream's name, and the objects that were told of each query.
    func streamReplies(
        _ queries: [String], _ server: RuledServer, as asker: RuledServer.Key
    ) -> [HTTPClient.Reply] {
        var made = server.send(method, target, body, as: asker, headers: headers)
        guard made.status == 201, let stream = made.headers["location"] else { return [made] }
        made.body = []
        defer { server.send("DELETE", stream, as: asker) }
        var followed = stream + "?since=start"
        if hasTicket {
            var ticketed = server.send(
                "POST", "/v1/tickets", "{\"url\":\(quoted(followed))}", as: asker)
            guard let ticket = QueryJSON(ticketed.text)?["ticket"]?.string else {
                return [made, ticketed]
            }
            ticketed.body = []
            followed += "&ticket=" + Self.escaped(ticket)
            return [made, ticketed, told(queries, server.follow(followed, as: .nobody))]
        }
        return [made, told(queries, server.follow(followed, as: asker))]
    }

    /// What a stream tells until each query is up to date, or it ends.
    private func told(_ queries: [String], _ stream: ChangesClient) -> HTTPClient.Reply {
        var reply = HTTPClient.Reply()
        reply.status = stream.status
        guard stream.status == 200 else {
            reply.body = stream.body
            return reply
        }
        var objects: [String: [QueryJSON]] = [:]
        var awaited = Set(queries)
        var lines: [String] = []
        while !awaited.isEmpty, !stream.isEnded {
            let event = stream.nextEvent()
            switch event.name {
            case "hello": break
            case "snapshot":
                for object in event.json["objects"]?.elements ?? [] {
                    objects[object["query"]?.string ?? "", default: []].append(object)
                }
            case "upToDate": awaited.remove(event.json["query"]?.string ?? "")
            default: lines.append("\(event.name) \(event.json["query"]?.string ?? event.data)")
            }
        }
        let told = QueryJSON.object([
            "told": .array(lines.sorted().map { .string($0) }),
            "objects": .object(objects.mapValues { .array($0) }),
        ])
        reply.body = Array(told.text.utf8)
        return reply
    }
}
