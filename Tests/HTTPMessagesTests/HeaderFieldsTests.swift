import HTTPMessages
import Testing

@Suite("HTTPMessages: header fields")
struct HeaderFieldsTests {
  private func pairs(_ fields: HeaderFields) -> [String] { fields.map { "\($0.name): \($0.value)" } }

  @Test("order is kept, names have no case, several of one name stay")
  func order() {
    var fields: HeaderFields = ["Set-Cookie": "a=1", "X-One": "1", "set-cookie": "b=2"]
    #expect(pairs(fields) == ["Set-Cookie: a=1", "X-One: 1", "set-cookie: b=2"])
    #expect(fields["SET-COOKIE"] == "a=1")
    #expect(fields.values("Set-cookie") == ["a=1", "b=2"])
    #expect(fields["X-Two"] == nil)
    #expect(fields.contains("x-one"))
    fields.add("X-Two", "2")
    #expect(pairs(fields).last == "X-Two: 2")
    #expect(fields == ["set-cookie": "a=1", "x-one": "1", "Set-Cookie": "b=2", "x-two": "2"])
    #expect(fields != ["x-one": "1", "set-cookie": "a=1", "Set-Cookie": "b=2", "x-two": "2"])
  }

  @Test("setting replaces all of a name, in the place of the first")
  func set() {
    var fields: HeaderFields = ["A": "1", "B": "2", "a": "3", "C": "4"]
    fields["a"] = "5"
    #expect(pairs(fields) == ["a: 5", "B: 2", "C: 4"])
    fields["c"] = "6"
    #expect(pairs(fields) == ["a: 5", "B: 2", "c: 6"])
    fields["b"] = "2"
    #expect(pairs(fields) == ["a: 5", "b: 2", "c: 6"])
    fields["B"] = "2"
    fields["D"] = "7"
    #expect(pairs(fields) == ["a: 5", "B: 2", "c: 6", "D: 7"])
    fields["A"] = nil
    #expect(pairs(fields) == ["B: 2", "c: 6", "D: 7"])
    fields.remove("c")
    fields.remove("D")
    fields.remove("b")
    #expect(fields.isEmpty)
    fields.remove("b")
    fields["E"] = "8"
    #expect(pairs(fields) == ["E: 8"])
  }

  @Test("removing every field of a name that stands first and again")
  func removeRepeated() {
    var fields: HeaderFields = ["A": "1", "a": "2", "B": "3", "A": "4"]
    fields.remove("A")
    #expect(pairs(fields) == ["B: 3"])
  }

  @Test(
    "injection is refused by the throwing forms",
    arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\u{0}b", "a\u{1F}b", "\u{7F}", "a\u{8}"])
  func injection(value: String) {
    var fields = HeaderFields()
    #expect(throws: HeaderError(code: .invalidValue, name: "X-Name")) {
      try fields.add(name: "X-Name", value: value)
    }
    #expect(throws: HeaderError(code: .invalidValue, name: "X-Name")) {
      try fields.set(name: "X-Name", value: value)
    }
    #expect(fields.isEmpty)
  }

  @Test("names that are no tokens are refused", arguments: ["", "a b", "a:", "a\r\n", "ä", "a\u{0}", "(a)"])
  func badNames(name: String) {
    var fields = HeaderFields()
    #expect(throws: HeaderError(code: .invalidName, name: name)) { try fields.add(name: name, value: "1") }
    #expect(throws: HeaderError(code: .invalidName, name: name)) { try fields.set(name: name, value: "1") }
    #expect(fields.isEmpty)
  }

  @Test("the forms that cannot fail put a space for each forbidden byte, and no blanks at the ends")
  func repair() {
    var fields: HeaderFields = ["L": "a\r\nb"]
    fields["S"] = "\t x\u{0}y\u{7F}\r\n"
    fields.add("A", "1\n2\ttab ä")
    #expect(pairs(fields) == ["L: a  b", "S: x y", "A: 1 2\ttab ä"])
    #expect(fields.allSatisfy { $0.value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 9 } })
  }

  @Test("good values of every length pass both ways", arguments: 0...70)
  func lengths(length: Int) throws {
    let value = String(repeating: "x", count: length)
    var fields = HeaderFields()
    try fields.add(name: "A", value: value)
    fields["B"] = value
    #expect(pairs(fields) == ["A: \(value)", "B: \(value)"])
    // One forbidden byte at every place is seen, by vectors and by single bytes alike.
    for place in 0..<length {
      var bytes = Array(value.utf8)
      for byte in [0x00, 0x0A, 0x1F, 0x7F] as [UInt8] {
        bytes[place] = byte
        #expect(!bytes.withUnsafeBytes(HeadSyntax.isFieldValue))
      }
      for byte in [0x09, 0x20, 0x7E, 0x80, 0xFF] as [UInt8] {
        bytes[place] = byte
        #expect(bytes.withUnsafeBytes(HeadSyntax.isFieldValue))
      }
    }
  }

  @Test("a name that is no token traps in the forms that cannot fail")
  func trap() async {
    await #expect(processExitsWith: .failure) {
      var fields = HeaderFields()
      fields["a b"] = "1"
    }
  }
}
