-- first.level: low=0 high=1 falling=2 | second.level: low=0 high=1 falling=2
library ieee;
use ieee.std_logic_1164.all;
entity watch is
    port (clk : in std_logic; rst : in std_logic; inp : in std_logic; fell : out std_logic);
end watch;
architecture rtl of watch is
    type level_t is (low, high, falling);
    signal level : level_t;
begin
    fell <= '1' when level = falling else '0';
    process (clk) begin
        if rising_edge(clk) then
            if rst = '1' then level <= low;
            else
                case level is
                    when low => if inp = '1' then level <= high; end if;
                    when high => if inp = '0' then level <= falling; end if;
                    when falling => level <= low;
                end case;
            end if;
        end if;
    end process;
end rtl;
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
entity k is
    port (clk : in std_logic; rst : in std_logic; go : in std_logic; x : in std_logic_vector(7 downto 0);
        y : out std_logic_vector(7 downto 0));
end k;
architecture rtl of k is
    signal fell : std_logic_vector(1 downto 0);
begin
    first: entity work.watch port map (clk => clk, rst => rst, inp => go, fell => fell(0));
    second: entity work.watch port map (clk => clk, rst => rst, inp => x(0), fell => fell(1));
    process (clk) begin
        if rising_edge(clk) then
            if fell /= "00" then y <= x; end if;
        end if;
    end process;
end rtl;
