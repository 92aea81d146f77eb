# Read back only: there was no Nix to try it with. At a release, `hash` becomes that of the npm package.
{ lib, stdenvNoCC, fetchurl, makeWrapper, nodejs_24 }:

stdenvNoCC.mkDerivation rec {
  pname = "contextd";
  version = "0.1.0";

  src = fetchurl {
    url = "https://registry.npmjs.org/contextd/-/contextd-${version}.tgz";
    hash = lib.fakeHash;
  };

  nativeBuildInputs = [ makeWrapper ];

  # Everything is in it: there is nothing to resolve. Search by meaning needs the runtime of the model beside it.
  installPhase = ''
    runHook preInstall
    mkdir -p $out/lib/contextd $out/bin
    cp -r . $out/lib/contextd
    makeWrapper ${nodejs_24}/bin/node $out/bin/contextd --add-flags $out/lib/contextd/dist/contextd.js
    runHook postInstall
  '';

  meta = {
    description = "Local daemon that tells editors and agents which context a model should see";
    license = lib.licenses.mit;
    mainProgram = "contextd";
    platforms = [ "x86_64-linux" "aarch64-linux" "aarch64-darwin" ];
  };
}
