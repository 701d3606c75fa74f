import Testing

/// A way in which task 4 becomes a result of a filter, and then none.
struct Departure: Sendable, CustomTestStringConvertible {
    var filter: String
    /// Writes before the client begins.
    var prepare: @Sendable (ChangesServer) -> Void = { _ in }
    /// Writes that let it come.
    var enter: @Sendable (ChangesServer) -> Void
    /// Writes that let it go.
    var leave: @Sendable (ChangesServer) -> Void

    var testDescription: String { filter }

    static let all = [
        Departure(
            filter: "done == false",
            enter: { $0.task(4, "{}") },
            leave: { $0.send("PATCH", "/v1/classes/Task/objects/4", #"{"done":true}"#) }),
        Departure(
            filter: "done == false",
            enter: { $0.task(4, "{}") },
            leave: { $0.send("DELETE", "/v1/classes/Task/objects/4") }),
        Departure(
            filter: "done == false",
            enter: { $0.task(4, "{}") },
            leave: {
                $0.send("DELETE", "/v1/classes/Task/objects/4")
                $0.task(4, #"{"done":true}"#)
            }),
        Departure(
            filter: "rank BETWEEN {0, 5}",
            enter: { $0.task(4, #"{"rank":5}"#) },
            leave: { $0.send("PATCH", "/v1/classes/Task/objects?filter=id%3D%3D4", #"{"rank":6}"#) }
        ),
        Departure(
            filter: "title != 'x' AND owner.age != 9",
            enter: { server in
                server.person("ann", #"{"age":1}"#)
                server.task(4, #"{"owner":"ann"}"#)
            },
            leave: { $0.person("ann", #"{"age":9}"#) }),
        Departure(
            filter: "next.owner.age > 40 OR id < 4",
            enter: { server in
                server.person("ann", #"{"age":41}"#)
                server.task(9, #"{"owner":"ann"}"#)
                server.task(4, #"{"next":9}"#)
            },
            leave: { $0.send("DELETE", "/v1/classes/Person/objects/ann") }),
        Departure(
            filter: "ANY partOf.rank > 5 OR id < 4",
            enter: { server in
                server.task(4, "{}")
                server.task(9, #"{"rank":6,"parts":[4]}"#)
            },
            leave: { $0.task(9, #"{"rank":6}"#) }),
        Departure(
            filter: "partOf.@count > 0 OR id < 4",
            enter: { server in
                server.task(4, "{}")
                server.task(9, #"{"parts":[4]}"#)
            },
            leave: { $0.send("DELETE", "/v1/classes/Task/objects/9") }),
        Departure(
            filter: "place.host.age > 40 OR id < 4",
            enter: { server in
                server.person("ann", #"{"age":41}"#)
                server.task(4, #"{"place":{"city":"Rome","host":"ann"}}"#)
            },
            leave: { $0.person("ann", #"{"age":40}"#) }),
        // What reaches it is the same at the beginning and at the end: only what was between knows of it.
        Departure(
            filter: "partOf.@count > 0 OR id < 4",
            prepare: { server in for id in [4, 9] { server.task(id, "{}") } },
            enter: { $0.task(9, #"{"parts":[4]}"#) },
            leave: { $0.task(9, "{}") }),
        Departure(
            filter: "ANY partOf.rank > 5 OR id < 4",
            prepare: { server in
                server.task(4, "{}")
                server.task(9, #"{"rank":1,"parts":[4]}"#)
            },
            enter: { $0.task(9, #"{"rank":6,"parts":[4]}"#) },
            leave: { $0.task(9, #"{"rank":1,"parts":[4]}"#) }),
        Departure(
            filter: "ANY partOf.owner.age > 40 OR id < 4",
            prepare: { server in
                server.person("ann", #"{"age":41}"#)
                server.task(4, "{}")
                server.task(9, #"{"parts":[4]}"#)
            },
            enter: { $0.task(9, #"{"owner":"ann","parts":[4]}"#) },
            leave: { $0.task(9, #"{"parts":[4]}"#) }),
        Departure(
            filter: "next.owner.age > 40 OR id < 4",
            prepare: { server in
                server.person("ann", #"{"age":41}"#)
                server.task(9, "{}")
                server.task(4, #"{"next":9}"#)
            },
            enter: { $0.task(9, #"{"owner":"ann"}"#) },
            leave: { $0.task(9, "{}") }),
        Departure(
            filter: "ANY partOf.rank > 5 OR id < 4",
            prepare: { server in
                for (id, body) in [(4, "{}"), (8, #"{"rank":6}"#), (9, #"{"rank":6}"#)] {
                    server.task(id, body)
                }
            },
            enter: { server in
                server.task(8, #"{"rank":6,"parts":[4]}"#)
                server.task(9, #"{"rank":6,"parts":[4]}"#)
            },
            leave: { server in
                server.send("DELETE", "/v1/classes/Task/objects/8")
                server.task(9, #"{"rank":6}"#)
            }),
    ]
}
