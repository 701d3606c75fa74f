import HTTPServer
import StoreService

/// The tokens whose grants the server looks at.
package typealias AccessTokens = TokenTable<Grant>

extension Grant: AccessGrant {
    package func end(_ reason: AccessEnd) {
        switch reason {
        case .revoked: end(End.revoked)
        case .lowered: end(End.lowered)
        }
    }
}

extension AccessTokens {
    /// Reads the file of tokens; what is wrong with it later is logged.
    ///
    /// - Throws: ``TokenFile/Failure`` when it is there and can't be used.
    package convenience init(_ file: TokenFile, logger: Logger) throws(TokenFile.Failure) {
        try self.init(file) { failure in
            logger.log(
                .error, "the file of tokens can't be read; the tokens known before stay in force",
                ("detail", .text(failure.description)))
        }
    }
}
