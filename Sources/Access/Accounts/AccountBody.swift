import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastText

/// The bodies of requests about accounts: objects with string members, all of which are required. The body of a new account may
/// also have the values of the user's object.
package enum AccountBody {
    /// The members for a login, a password, a new password, and a code.
    package static let login = "login"
    package static let password = "password"
    package static let newPassword = "newPassword"
    package static let code = "code"
    /// The member for the values of a new user's own object.
    package static let object = "object"

    /// Reads the strings of a body, in the order of `names`.
    ///
    /// - `isNew`: Whether the login and the password are for a new account.
    /// - Throws: ``RequestFault`` `.malformed` for another shape, `.invalid` if a value is not allowed in an account.
    package static func texts(
        _ body: JSONValue, _ names: [String], isNew: Bool = false
    ) throws(RequestFault) -> [String] {
        let hasObject = isNew && body.member(named: object) != nil
        guard body.kind == .object, body.count == names.count + (hasObject ? 1 : 0),
            body.repeatedName == nil
        else { throw malformed(names, isNew) }
        var texts: [String] = []
        for name in names {
            guard let text = body.member(named: name)?.string else {
                throw malformed(names, isNew)
            }
            try check(text, name, isNew)
            texts.append(text)
        }
        return texts
    }

    /// The text of the body that creates an account.
    package static func json(login: String, password: String) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 256)
        JSONWriter(buffer).object { object in
            object.member("login").string(login)
            object.member("password").string(password)
        }
        return buffer.array
    }

    private static func check(_ text: String, _ name: String, _ isNew: Bool) throws(RequestFault) {
        let passwords = Account.passwordByteCounts
        switch name {
        case login:
            if Account.isLogin(AccountText.stored(text)) { return }
            throw .single(
                .invalid, "invalid-account",
                "A login is a text of 1 to \(Account.loginByteCountMax) bytes without control characters and without blanks at "
                    + "its ends.", pointer: "/login")
        case newPassword, password:
            let isToBe = isNew || name == newPassword
            let count = AccountText.stored(text).utf8.count
            if count <= passwords.upperBound, !isToBe || count >= passwords.lowerBound { return }
            throw .single(
                .invalid, "invalid-account",
                "A password has \(passwords.lowerBound) to \(passwords.upperBound) bytes.",
                pointer: "/\(name)")
        default: return
        }
    }

    private static func malformed(_ names: [String], _ isNew: Bool) -> RequestFault {
        RequestFault(
            .malformed, "invalid-body",
            "The body is a JSON object with the texts "
                + names.map { "'\($0)'" }.joined(separator: " and ")
                + (isNew ? ", perhaps the user's own 'object'," : "") + " and nothing else.")
    }
}

/// A login or a password in its Unicode forms.
///
/// One keyboard writes `é` as one scalar and another as two, and users see no difference. So texts are stored composed (NFC), as
/// NIST SP 800-63B recommends for passwords. Accounts of version 0.3 and before have them in any form, as the client sent them.
package enum AccountText {
    package static func stored(_ text: String) -> String { CanonicalForm.composed.of(text) }

    /// The forms of a client's text that an account may have, without duplicates. The unchanged text comes first, so that
    /// accounts of earlier versions whose logins differ only in form stay distinct.
    package static func forms(_ text: String) -> [String] {
        var forms = [text]
        for form in [stored(text), CanonicalForm.decomposed.of(text)]
        where !forms.contains(where: { $0.utf8.elementsEqual(form.utf8) }) {
            forms.append(form)
        }
        return forms
    }

    /// The forms of a login that are short enough for an account.
    static func forms(ofLogin login: String) -> [String] {
        forms(login).filter { $0.utf8.count <= Account.loginByteCountMax }
    }
}
