import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

// Shared parts of the operations on tokens.
extension RESTService {
    /// Answers from a thread of the scheduler with what is made of the store's tokens.
    func answerTokens(
        _ body: @escaping @Sendable (StoredTokens) throws(RequestFault) -> Response
    ) -> Outcome {
        guard let tokens else {
            let stored = StoredTokens(store, fault: served.fault)
            return answerScheduled { () throws(RequestFault) in try body(stored) }
        }
        return answerScheduled { () throws(RequestFault) in try tokens.change(body) }
    }

    /// Reads the members of a body that describes a token; nil for one that is left out.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for anything else than `{"name": …, "right": …}`.
    func tokenMembers(
        _ request: Request
    ) throws(RequestFault) -> (name: String?, right: Right?) {
        _ = try BodyType.read(request)
        let body = try served.json(request.body, RequestScratch.current.parser)
        let name = body.member(named: "name")
        let right = body.member(named: "right")
        guard body.kind == .object, body.count == [name, right].count(where: { $0 != nil }),
            name == nil || name?.string != nil
        else {
            throw RequestFault(
                .malformed, "invalid-body",
                "The body is a JSON object with the token's name and right and nothing else, such as "
                    + "{\"name\":\"reports\",\"right\":\"read\"}.")
        }
        guard let right else { return (name?.string, nil) }
        guard let known = right.string.flatMap({ Right(rawValue: $0) }) else {
            throw .single(
                .invalid, "invalid-token", "A token's right is read, write or admin.",
                pointer: "/right")
        }
        return (name?.string, known)
    }

    /// Writes `{"name","right","created"}`, and the token itself where it is told.
    func write(_ token: Token, secret: TokenSecret? = nil, to writer: JSONWriter) {
        writer.object { object in
            object.member("name").string(token.name)
            object.member("right").string(token.right.rawValue)
            object.member("created").string(token.created.description)
            if let secret { object.member("token").string(secret.text) }
        }
    }
}
