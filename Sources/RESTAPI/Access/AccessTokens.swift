import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

/// The tokens whose grants the server looks at.
package typealias AccessTokens = TokenTable<Grant>

extension Grant: AccessGrant {
    package convenience init(of token: Token?) {
        self.init(owner: token?.number ?? 0, bearer: token)
    }

    package func end(_ reason: AccessEnd) {
        switch reason {
        case .revoked: end(End.revoked)
        case .lowered: end(End.lowered)
        }
    }
}

extension AccessTokens {
    /// Reads the tokens of a store; storage that fails later is logged.
    package convenience init(_ store: Store, logger: Logger) throws(RequestFault) {
        try self.init(
            StoredTokens(store) { error in
                logger.log(
                    .error, "the tokens can't be read or changed",
                    ("detail", .text(String(describing: error))))
                return RequestFault(error)
            })
    }
}

extension RESTService {
    /// Has a thread of the scheduler carry out the command that an operator has put into the mailbox. Any thread; a
    /// command that finds no room is taken up when the mailbox is looked at again.
    func takeUpCommand(in mailbox: TokenMailbox) {
        guard let tokens else { return }
        let job = Job(Caller.program.client) { _ in
            do throws(TokenMailbox.Failure) {
                try mailbox.answer { command throws(RequestFault) in
                    let text = try tokens.change { stored throws(RequestFault) in
                        try command.run(stored)
                    }
                    AuditLine.write(command, logger: self.logger)
                    return text
                }
            } catch {
                self.logger.log(
                    .error, "an operator's command can't be read or answered",
                    ("detail", .text(String(describing: error))))
            }
        }
        _ = served.scheduler.submit(job)
    }
}
