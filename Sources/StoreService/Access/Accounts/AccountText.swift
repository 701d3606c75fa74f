import HoldfastText

/// A login or a password in the forms that Unicode has for it.
///
/// One keyboard writes `é` as one scalar and another as two, and their user sees no difference. So texts are stored composed (NFC), as
/// NIST SP 800-63B says of passwords. Accounts of version 0.3 and before have them as they were stated, in any form.
package enum AccountText {
    /// The form in which a text is stored.
    package static func stored(_ text: String) -> String { CanonicalForm.composed.of(text) }

    /// The forms that an account may have of a text from a client, each once. The unchanged text comes first, so that accounts of
    /// earlier versions with logins that differ only in form stay apart.
    package static func forms(_ text: String) -> [String] {
        var forms = [text]
        for form in [stored(text), CanonicalForm.decomposed.of(text)]
        where !forms.contains(where: { $0.utf8.elementsEqual(form.utf8) }) {
            forms.append(form)
        }
        return forms
    }
}
