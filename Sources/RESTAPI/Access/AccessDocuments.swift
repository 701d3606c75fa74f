import HoldfastAccess
import HoldfastBytes
import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

// Shared parts of the operations on the access document, and the gate that users pass.
extension RESTService {
    /// Refuses a user's request if an access document is set, and a request with a token for some classes, unless
    /// the operation states that it answers within the caller's rights.
    func refusal(ofUserOf request: Request, asking users: Operation.Users) -> Response? {
        if users == .all || users == .anyone { return nil }
        guard let bearer = request.grant?.bearer else { return nil }
        if bearer is SignedInUser {
            guard users == .byDocument else {
                return refusal("This operation needs a token without a user.")
            }
            return access.hasDocument
                ? nil
                : refusal(
                    "There is no access document yet, so users may do nothing. An admin sets one with PUT /v1/access."
                )
        }
        guard let token = bearer as? Token else { return nil }
        guard token.terms.classes.isEmpty || users == .byDocument else {
            return refusal(
                "The token is for \(token.terms.classes.count) of the classes, and this operation is not for one class."
            )
        }
        if token.terms.user == nil || users == .byDocument || !access.hasDocument { return nil }
        return refusal(
            "With an access document, this operation is not for users. It needs a token without a user; "
                + "'holdfast token create' makes one.")
    }

    /// The principal of a request: the user that it names by a token of an issuer or of the store, or the anonymous one if
    /// it needs a token and lacks a valid one; nil for a token of the store without a user.
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

    /// The token of a grant if it is limited to some classes and no access document is set.
    func limitedToken(of grant: Grant) -> Principal? {
        guard let token = grant.bearer as? Token else { return nil }
        return token.limited.map { Self.lasting($0, grant) }
    }

    /// Work continues until the grant ends, and is then cut.
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

    /// Reads the condition of a request on the document: `If-Match` names its tags, and `If-None-Match: *` requires
    /// that no document is set.
    func accessPrecondition(
        _ request: Request
    ) throws(RequestFault) -> @Sendable (_ revision: UInt64) -> Bool {
        let precondition = try Precondition(request, tagged: Self.accessTagSuffix)
        return { [epoch = store.epoch] revision in
            precondition.holds(
                of: revision > 0 ? StoreVersion(epoch: epoch, number: revision) : nil)
        }
    }

    /// `GET /v1/access`: the access document, with its warnings.
    func getAccess(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        guard let (revision, document, warnings) = try access.document() else {
            throw .noAccessDocument
        }
        return .respond(
            try .notModified(request, accessTag(revision))
                ?? accessResponse(revision, document, warnings))
    }

    /// `PUT /v1/access`: sets the access document, or with `dryRun` reports its warnings. Running requests of users
    /// end, because other rules apply now; their streams begin again.
    func putAccess(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let stated = try AccessReader.read(json(request))
        let precondition = try accessPrecondition(request)
        let isDryRun = try request.flag("dryRun")
        if !isDryRun, request.grant.flatMap({ principal(of: $0)?.user }) != nil {
            throw RequestFault(
                .forbidden, "not-allowed",
                "The token belongs to a user, and this document would refuse the user's next change of it. Use a token without a user; "
                    + "'holdfast token create' makes one.")
        }
        let audit = auditLine(request)
        return answerScheduled { () throws(RequestFault) in
            let rules: AccessRules
            if isDryRun {
                rules = try self.access.preview(stated, where: precondition)
            } else {
                rules = try self.access.put(stated, where: precondition)
                self.endWorkOfUsers()
                audit.write()
            }
            return self.accessResponse(rules.revision, rules.document, rules.warnings)
        }
    }

    /// `GET /v1/access/users`: the blocked and signed-out users, by id.
    func listUserAccess(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        return answerScheduled { () throws(RequestFault) in
            let users = try self.storedTokens.read().users
            return Response.object(200) { object in
                object.member("users").objects(of: users) { $0.write(to: &$1) }
            }
        }
    }

    /// `GET /v1/access/users/{id}`: whether a user is let in, and by which credentials. The service does not know the
    /// users of issuers.
    func getUserAccess(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let user = try UserAccess(id: request.parameter(0).string)
        return answerScheduled { () throws(RequestFault) in
            Self.response(try self.storedTokens.user(user.id) ?? user)
        }
    }

    /// `PUT /v1/access/users/{id}`: sets whether a user is let in, and by which credentials.
    func putUserAccess(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let user = try UserAccess(id: request.parameter(0).string, json(request))
        let audit = auditLine(request)
        return changeTokens { stored throws(RequestFault) in
            if let users = self.users {
                try users.set(user) { () throws(RequestFault) in try stored.set(user) }
            } else {
                try stored.set(user)
            }
            audit.write()
            return Self.response(user)
        }
    }

    /// The reply that tells whether a user is let in.
    static func response(_ user: UserAccess) -> Response {
        Response.object(200) { user.write(to: &$0) }
    }

    /// `POST /v1/access/explain`: the rights of a user to an object, with the role and rule of each. Rules may read
    /// as much as queries.
    func explainAccess(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let question = try AccessQuestion(json(request))
        let caller = caller(request)
        return answerFromJob { job throws(RequestFault) in
            try self.served.withRead(for: caller, in: job) { read throws(RequestFault) in
                let buffer = ByteBuffer(capacity: 1024)
                try question.answer(self.access, read, self.served, to: JSONWriter(buffer))
                return buffer
            }.map { Response(200, .json, Bytes(taking: $0)) }
        }
    }
}
