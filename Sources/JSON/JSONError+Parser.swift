import CSimdJSON

extension JSONError.Code {
    /// Translates the shim's codes; nil for success.
    init?(_ error: HFJSONError) {
        switch error {
        case .none: return nil
        case .empty: self = .empty
        case .unexpectedEnd: self = .unexpectedEnd
        case .byteOrderMark: self = .byteOrderMark
        case .invalidUTF8: self = .invalidUTF8
        case .expectedValue: self = .expectedValue
        case .expectedValueOrEndOfArray: self = .expectedValueOrEndOfArray
        case .expectedKeyOrEndOfObject: self = .expectedNameOrEndOfObject
        case .expectedKey: self = .expectedName
        case .expectedColon: self = .expectedColon
        case .expectedCommaOrEndOfArray: self = .expectedCommaOrEndOfArray
        case .expectedCommaOrEndOfObject: self = .expectedCommaOrEndOfObject
        case .trailingContent: self = .trailingContent
        case .invalidLiteral: self = .invalidLiteral
        case .invalidNumber: self = .invalidNumber
        case .numberTooLong: self = .numberTooLong
        case .unterminatedString: self = .unterminatedString
        case .controlCharacter: self = .controlCharacter
        case .invalidEscape: self = .invalidEscape
        case .loneSurrogate: self = .loneSurrogate
        case .tooDeep: self = .tooDeep
        case .tooLong: self = .tooLong
        case .outOfMemory: self = .outOfMemory
        case .internal: self = .internal
        }
    }
}
