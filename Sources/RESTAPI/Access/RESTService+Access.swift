import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

// Shared parts of the operations on the access document, and the gate that users pass.
extension RESTService {
    /// Refuses what a user asks for where an access document decides, and what is asked for with a token of some classes, where
    /// the operation does not say that it answers as what they may do decides.
    func refusal(ofUserOf request: Request, asking users: Operation.Users) -> Response? {
        if users == .all || users == .anyone { return nil }
        guard let bearer = request.grant?.bearer else { return nil }
        if bearer is SignedInUser {
            guard users == .byDocument else {
                return refusal("This operation is for tokens of the store that are not a user's.")
            }
            return access.hasDocument
                ? nil
                : refusal(
                    "There is no access document yet, so that users may do nothing: an admin sets one with PUT /v1/access."
                )
        }
        guard let token = bearer as? Token else { return nil }
        guard token.terms.classes.isEmpty || users == .byDocument else {
            return refusal(
                "The token is for \(token.terms.classes.count) of the classes, and this operation for none alone."
            )
        }
        if token.terms.user == nil || users == .byDocument || !access.hasDocument { return nil }
        return refusal(
            "The access document decides what a user may do, and this operation is none of it. It takes a token of the store that is not a user's; "
                + "'holdfast token create' makes one.")
    }

    /// The principal of a request: the user whom it names by a token of an issuer or of the store, or the anonymous one, where
    /// it needs a token and has none, or none any more; nil for a token of the store alone.
    func principal(of request: Request) -> Principal? {
        request.grant.flatMap { principal(of: $0) }
    }

    /// The principal of the requests that a grant admits.
    func principal(of grant: Grant) -> Principal? {
        // A cast takes as long as some look-ups: tokens of the store first, which most requests have.
        guard let bearer = grant.bearer else { return nil }
        let principal: Principal? =
            switch bearer {
            case let token as Token: token.principal
            case let user as SignedInUser: user.principal
            case let nobody as Principal: nobody
            default: nil
            }
        return principal.map { Self.lasting($0, grant) }
    }

    /// The token of a grant as far as it is for some classes alone, and no document says what it may do with these.
    func limitedToken(of grant: Grant) -> Principal? {
        guard let token = grant.bearer as? Token else { return nil }
        return token.limited.map { Self.lasting($0, grant) }
    }

    /// What goes on for somebody whose grant has ended is cut; until then it is nobody's.
    private static func lasting(_ principal: Principal, _ grant: Grant) -> Principal {
        grant.ending == nil ? principal : .nobody
    }

    private func refusal(_ detail: String) -> Response {
        response(RequestFault(.forbidden, "not-allowed", detail))
    }

    /// The ending of the document's tag, so that no object's tag equals it.
    private static let accessTagSuffix = "-access"

    /// Returns the entity tag of a revision of the document. Without quotes.
    func accessTag(_ revision: UInt64) -> String {
        "\(StoreVersion(epoch: store.epoch, number: revision))\(Self.accessTagSuffix)"
    }

    /// Makes a reply with a document.
    func accessResponse(
        _ revision: UInt64, _ document: AccessDocument, _ warnings: [RequestFault.Entry]
    ) -> Response {
        Response.object(200) { object in
            object.member("revision").uint(revision)
            document.write(to: &object)
            object.member("warnings").objects(of: warnings) { $0.write(to: &$1) }
        }.with(entityTag: accessTag(revision))
    }

    /// Reads the condition of a request on the document: `If-Match` names its tags, and `If-None-Match: *` requires that there is
    /// none.
    func accessPrecondition(
        _ request: Request
    ) throws(RequestFault) -> @Sendable (_ revision: UInt64) -> Bool {
        let precondition = try Precondition(request, tagged: Self.accessTagSuffix)
        return { [epoch = store.epoch] revision in
            precondition.holds(
                of: revision > 0 ? StoreVersion(epoch: epoch, number: revision) : nil)
        }
    }
}
